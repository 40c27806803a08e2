// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/covering.h"

#include <algorithm>

#include "query/plan/arrays.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::TypeClass;
using bson::Value;
using Kind = FilterNode::Kind;

/// The index's values can be read back. What a text was, a collation does not tell any more.
bool has_values(const IndexDescription& index) {
  const auto is_value = [](const IndexDescription::Field& field) { return field.form == KeyForm::kValue && field.collation == nullptr && !has_position(field.path); };
  return !index.clustered && index.wildcard == nullptr && std::ranges::all_of(index.fields, is_value);
}

std::optional<std::size_t> place_of(const IndexDescription& index, std::string_view path) {
  const auto found = std::ranges::find(index.fields, path, &IndexDescription::Field::path);
  if (found == index.fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - index.fields.begin());
}

/// Each key of a document has the value there: it has no others.
bool is_told(const IndexDescription& index, std::string_view path) {
  const auto place = place_of(index, path);
  return place && !may_have_array(index, *place);
}

bool asks_for_told_paths(const IndexDescription& index, const FilterTree& filter) {
  return std::ranges::all_of(filter.nodes, [&](const FilterNode& node) {
    if (node.is_logical()) return true;
    return node.kind == Kind::kField && is_told(index, node.path.text());
  });
}

/// Which ends of its field's interval a condition settles; nothing where the interval holds more than it does.
std::optional<unsigned> settles(const FilterNode& node) {
  constexpr unsigned kLower = 1;
  constexpr unsigned kUpper = 2;
  switch (node.field_operator->bound) {
    case Bound::kEqual:
      return is_plain(node.operand) ? std::optional(kLower | kUpper) : std::nullopt;
    case Bound::kIn: {
      const bool plain = std::ranges::all_of(node.operand.as_document(), [](const bson::Field& one) { return is_plain(one.value); });
      return plain && !node.operand.as_document().empty() ? std::optional(kLower | kUpper) : std::nullopt;
    }
    case Bound::kGreater:
    case Bound::kGreaterOrEqual:
      return is_plain(node.operand) ? std::optional(kLower) : std::nullopt;
    case Bound::kLess:
    case Bound::kLessOrEqual:
      return is_plain(node.operand) ? std::optional(kUpper) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// All conditions on one field of the index, and its intervals, are the same.
bool are_settled(const std::vector<const FilterNode*>& conditions) {
  unsigned ends = 0;
  std::optional<TypeClass> type_class;
  for (const FilterNode* node : conditions) {
    const auto own = settles(*node);
    if (!own || (ends & *own) != 0) return false;
    ends |= *own;
    if (node->field_operator->bound == Bound::kIn) continue;
    const TypeClass here = bson::type_class(node->operand.type());
    if (type_class.value_or(here) != here) return false;
    type_class = here;
  }
  const bool open_below = (ends & 1) == 0;
  return !(open_below && type_class == TypeClass::kNumber);
}

std::vector<const FilterNode*> conditions_on(const FilterTree& filter, std::string_view path) {
  std::vector<const FilterNode*> found;
  for (const FilterNode* node : conjuncts(filter)) {
    if (node->kind == Kind::kField && node->path.text() == path) found.push_back(node);
  }
  return found;
}

/// Whether keys tell of these conditions what the filter says of values.
bool compares_alike(const IndexDescription::Field& field, const FilterTree& filter, const std::vector<const FilterNode*>& conditions) {
  const auto is_of_texts = [](const FilterNode* node) { return is_collated(node->operand); };
  return agree(field.collation, filter.collation.get()) || std::ranges::none_of(conditions, is_of_texts);
}

/// Values that differ for the query have different keys in this field, and no document has several.
bool tells_apart(const IndexDescription& index, std::size_t place, const FilterTree& filter) {
  const IndexDescription::Field& field = index.fields[place];
  if (may_have_array(index, place) || index.wildcard != nullptr || index.geo != nullptr || index.text != nullptr) return false;
  return field.form == KeyForm::kValue && !has_position(field.path) && agree(field.collation, filter.collation.get());
}

}  // namespace

bool is_covered(const PlanRequest& request, const Plan& scan) {
  const IndexDescription& index = request.indexes[scan.index];
  if (request.needed == nullptr || request.filter->near != nullptr || !has_values(index) || !asks_for_told_paths(index, *request.filter)) return false;
  const auto told = [&](std::string_view path) { return is_told(index, path); };
  if (!std::ranges::all_of(*request.needed, told)) return false;
  if (scan.needs_sort && !std::ranges::all_of(request.sort->fields(), told, &SortField::path)) return false;
  // Documents within one document would have to be put together.
  std::vector<std::string_view> names;
  for (const auto& field : index.fields) names.push_back(field.path.substr(0, field.path.find('.')));
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

bool is_exact(const PlanRequest& request, const Plan& scan) {
  const IndexDescription& index = request.indexes[scan.index];
  if (index.wildcard != nullptr || request.filter->near != nullptr || scan.access != Plan::Access::kIndexScan) return false;
  std::size_t settled = 0;
  for (std::size_t i = 0; i < scan.intervals.size(); ++i) {
    const auto conditions = conditions_on(*request.filter, index.fields[i].path);
    if (scan.intervals[i].form != KeyForm::kValue || has_position(index.fields[i].path) || may_have_array(index, i) || !are_settled(conditions)) return false;
    if (!compares_alike(index.fields[i], *request.filter, conditions)) return false;
    settled += conditions.size();
  }
  const auto asks = [](const FilterNode& node) { return node.kind != Kind::kAnd; };
  return static_cast<std::size_t>(std::ranges::count_if(request.filter->nodes, asks)) == settled;
}

std::vector<const FilterNode*> key_conditions(const PlanRequest& request, const Plan& scan) {
  std::vector<const FilterNode*> found;
  const IndexDescription& index = request.indexes[scan.index];
  if (!has_values(index)) return found;
  std::vector<bool> settled;
  for (std::size_t i = 0; i < scan.intervals.size(); ++i) settled.push_back(are_settled(conditions_on(*request.filter, index.fields[i].path)));
  for (const FilterNode* node : conjuncts(*request.filter)) {
    if (node->kind != Kind::kField || node->predicate == nullptr) continue;
    const auto place = place_of(index, node->path.text());
    if (place && !may_have_array(index, *place) && (*place >= settled.size() || !settled[*place])) found.push_back(node);
  }
  return found;
}

std::optional<Plan> distinct_plan(const PlanRequest& request, std::string_view path) {
  std::optional<Plan> best;
  const std::vector<std::string> needed{std::string(path)};
  PlanRequest keys_only = request;
  keys_only.needed = &needed;
  for (std::size_t i = 0; i < request.indexes.size(); ++i) {
    const IndexDescription& index = request.indexes[i];
    const auto place = place_of(index, path);
    if (!place || index.hidden || index.clustered || (request.hint && *request.hint != i)) continue;
    std::optional<Plan> scan = whole_or_narrowed(keys_only, i);
    if (!scan || !is_exact(request, *scan) || scan->intervals.size() > *place + 1) continue;
    scan->covered = is_covered(keys_only, *scan);
    if (!scan->covered && !tells_apart(index, *place, *request.filter)) continue;
    const auto pinned = [](const FieldIntervals& field) { return field.intervals.size() == 1 && field.intervals[0].is_point(); };
    const bool leads = scan->intervals.size() >= *place && std::all_of(scan->intervals.begin(), scan->intervals.begin() + static_cast<std::ptrdiff_t>(*place), pinned);
    if (!leads || (best && best->score >= scan->score)) continue;
    scan->exact = true;
    scan->distinct_fields = *place + 1;
    best = std::move(scan);
  }
  return best;
}

}  // namespace partita::query
