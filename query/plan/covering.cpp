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
  return true;
}

std::vector<const FilterNode*> conditions_on(const FilterTree& filter, std::string_view path) {
  std::vector<const FilterNode*> found;
  for (const FilterNode* node : conjuncts(filter)) {
    if (node->kind == Kind::kField && node->path.text() == path) found.push_back(node);
  }
  return found;
}

/// Of a field that may have several keys, of which others may be meant by each condition: the one that the ranges are made of.
void keep_used(std::vector<const FilterNode*>& conditions) {
  if (conditions.size() == 2 && are_settled(conditions)) {
    if ((settles(*conditions.front()).value_or(0) & 1) == 0) std::swap(conditions[0], conditions[1]);
    conditions.pop_back();
  }
  if (conditions.size() != 1) conditions.clear();
}

/// Whether that is all of them.
bool all_used(std::vector<const FilterNode*> conditions) {
  const std::size_t all = conditions.size();
  keep_used(conditions);
  return conditions.size() == all;
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

namespace {

/// Whether keys tell all that is wanted of a document: of one for its key, that it would have that key.
bool tell_what_is_needed(const PlanRequest& request, const IndexDescription& index) {
  const auto told = [&](std::string_view path) { return is_told(index, path); };
  if (request.key_alone) return index.filter == nullptr && std::ranges::all_of(index.fields, told, &IndexDescription::Field::path);
  return request.needed != nullptr && std::ranges::all_of(*request.needed, told);
}

/// The same as is_covered() but for what the filter asks.
bool covers_what_is_shown(const PlanRequest& request, const Plan& scan) {
  const IndexDescription& index = request.indexes[scan.index];
  if (request.filter->near != nullptr || !has_values(index) || !tell_what_is_needed(request, index)) return false;
  const auto told = [&](std::string_view path) { return is_told(index, path); };
  if (scan.needs_sort && !std::ranges::all_of(request.sort->fields(), told, &SortField::path)) return false;
  // Documents within one document would have to be put together.
  std::vector<std::string_view> names;
  for (const auto& field : index.fields) names.push_back(field.path.substr(0, field.path.find('.')));
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace

bool is_covered(const PlanRequest& request, const Plan& scan) {
  return asks_for_told_paths(request.indexes[scan.index], *request.filter) && covers_what_is_shown(request, scan);
}

bool is_exact(const PlanRequest& request, const Plan& scan) {
  const IndexDescription& index = request.indexes[scan.index];
  if (index.wildcard != nullptr || request.filter->near != nullptr || scan.access != Plan::Access::kIndexScan) return false;
  std::size_t settled = 0;
  const std::vector<FieldIntervals> fields = scan.by_field();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].intervals.empty()) continue;
    auto conditions = conditions_on(*request.filter, index.fields[i].path);
    if (may_have_array(index, i) && !all_used(conditions)) return false;
    if (fields[i].form != KeyForm::kValue || has_position(index.fields[i].path) || !are_settled(conditions)) return false;
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
  for (const FieldIntervals& field : scan.by_field()) {
    settled.push_back(!field.intervals.empty() && are_settled(conditions_on(*request.filter, index.fields[settled.size()].path)));
  }
  for (const FilterNode* node : conjuncts(*request.filter)) {
    if (node->kind != Kind::kField || node->predicate == nullptr) continue;
    const auto place = place_of(index, node->path.text());
    if (place && !may_have_array(index, *place) && (*place >= settled.size() || !settled[*place])) found.push_back(node);
  }
  return found;
}

std::vector<const FilterNode*> settled_conditions(const PlanRequest& request, const Plan& scan) {
  std::vector<const FilterNode*> found = scan.key_conditions;
  const IndexDescription& index = request.indexes[scan.index];
  const bool of_values = index.wildcard == nullptr && index.geo == nullptr && index.text == nullptr && !index.clustered;
  if (!of_values || scan.given || std::ranges::any_of(request.filter->nodes, &FilterNode::is_elem)) return found;
  const std::vector<FieldIntervals> fields = scan.by_field();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].intervals.empty() || fields[i].form != KeyForm::kValue || has_position(index.fields[i].path)) continue;
    auto conditions = conditions_on(*request.filter, index.fields[i].path);
    if (!compares_alike(index.fields[i], *request.filter, conditions)) continue;
    if (may_have_array(index, i)) keep_used(conditions);
    if (!are_settled(conditions)) continue;
    for (const FilterNode* node : conditions) if (std::ranges::find(found, node) == found.end()) found.push_back(node);
  }
  return found;
}

bool leaves_nothing(const PlanRequest& request, const Plan& scan) {
  const auto asks = [](const FilterNode& node) { return node.kind != Kind::kAnd; };
  return static_cast<std::size_t>(std::ranges::count_if(request.filter->nodes, asks)) == settled_conditions(request, scan).size();
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
    scan->covered = covers_what_is_shown(keys_only, *scan);
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
