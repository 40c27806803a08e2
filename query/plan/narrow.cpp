// SPDX-License-Identifier: GPL-3.0-or-later
// What a filter says of an index's fields, one after the other.
#include <algorithm>

#include "query/plan/arrays.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

/// Who says what of an index's first fields: an $elemMatch, whose conditions hold for one element, or null, the filter itself.
/// Nothing where nobody says anything.
using Sayers = std::vector<std::optional<const FilterNode*>>;

/// The $elemMatch whose word counts for a field that shares an array with one before it.
const FilterNode* sayer_for(const IndexDescription& index, std::size_t field, const Sayers& sayers) {
  for (std::size_t i = field; i-- > 0;)
    if (sayers[i].value_or(nullptr) != nullptr && may_share_array(index, i, field)) return *sayers[i];
  return nullptr;
}

/// The parts of a path that lead to the array of an $elemMatch.
std::size_t parts_to(const FilterNode& element) { return element.path.size(); }

/// Whether some key of each match has what is said of this field beside what is said of those before: it is not of another
/// element of an array that they share.
bool is_in_same_key(const IndexDescription& index, std::size_t field, const FilterNode* sayer, const Sayers& sayers) {
  for (std::size_t i = 0; i < field; ++i) {
    if (!sayers[i]) continue;
    const bool together = sayer != nullptr && *sayers[i] == sayer;
    if (may_share_array(index, i, field, together ? parts_to(*sayer) : 0)) return false;
  }
  return true;
}

bool asks_computed(const FilterTree& filter, std::string_view path) {
  return std::ranges::any_of(filter.nodes, [&](const FilterNode& node) { return node.kind == FilterNode::Kind::kComputed && node.path.text() == path; });
}

/// Whether some document may have an array on the way to a field, as far as the index knows: one of texts or places does not
/// count arrays of one element, and who is picked by its position is in one that nobody counts.
bool may_hold_array(const IndexDescription& index, std::size_t field) {
  if (index.text != nullptr || index.geo != nullptr || has_position(index.fields[field].path)) return true;
  return index.multikey && (index.array_bits == 0 || (index.array_bits >> field & 1) != 0);
}

/// A part like "0" picks an element by its position, and the index has keys for that one alone. To the filter the field
/// "0" of all other elements is there too, missing, and so null may be found where the index has no null.
bool may_hide_null(std::string_view path, const std::vector<Interval>& intervals) {
  if (!has_position(path)) return false;
  return std::ranges::any_of(intervals, [](const Interval& interval) { return interval.high.value.is_null(); });
}

/// Null, missing and undefined are one key where an index says so, and a point.
void pin_nulls(std::vector<Interval>& intervals) {
  for (Interval& interval : intervals) {
    const bool nulls = interval.high.value.is_null() && interval.low.type_class == bson::TypeClass::kUndefined;
    if (nulls) interval.low = interval.high;
  }
}

bool holds_array(const std::vector<Interval>& intervals) {
  return std::ranges::any_of(intervals, [](const Interval& interval) { return interval.low.value.is_array(); });
}

/// Ranges that several lists make together.
constexpr std::size_t kMaxCombinedRanges = 4096;

}  // namespace

std::size_t range_count(const std::vector<FieldIntervals>& narrowed) {
  std::size_t ranges = 1;
  for (const FieldIntervals& field : narrowed) ranges *= field.intervals.size();
  return ranges;
}

bool makes_few_ranges(std::size_t ranges, std::size_t more) {
  return ranges * more <= (ranges > 1 && more > 1 ? kMaxCombinedRanges : kMaxKeyRanges);
}

namespace {

/// What is said of one field, where that can be looked up beside what is said of those before it; notes who says it.
std::optional<FieldIntervals> intervals_of(const IndexDescription& index, const FilterTree& filter, std::size_t i, Sayers& sayers) {
  const IndexDescription::Field& field = index.fields[i];
  sayers.emplace_back();
  const bool place = is_place(field.form);
  const bool arrays = may_have_array(index, i);
  PathBounds bounds = bounds_in_keys(filter, field.path, field.collation, sayer_for(index, i, sayers));
  if (bounds.element != nullptr) bounds.of_one_value = !may_have_array_behind(index, i, parts_to(*bounds.element));
  std::vector<Interval> intervals = place ? place_intervals(index, field, filter) : intervals_for(bounds, arrays);
  const FilterNode* sayer = place || intervals.empty() ? nullptr : bounds.element;
  if (!is_in_same_key(index, i, sayer, sayers)) return std::nullopt;
  const bool hashed = field.form != KeyForm::kValue && !place;
  if (intervals.empty() && !place) intervals = class_intervals(filter, field.path, index.sparse);
  const bool of_no_array = asks_computed(filter, field.path) && !may_hold_array(index, i);
  if (of_no_array) intervals = within_computed(std::move(intervals), filter, field.path, field.collation);
  if (index.null_is_one || hashed) pin_nulls(intervals);
  bool by_exclusion = false;
  if (field.form == KeyForm::kValue && !index.clustered) {
    by_exclusion = intervals.empty();
    intervals = without_excluded(std::move(intervals), filter, field.path, field.collation, arrays);
    if (by_exclusion && index.sparse && i == 0 && std::ranges::any_of(intervals, holds_null)) return std::nullopt;
  }
  if (intervals.empty() || intervals.size() > kMaxKeyRanges) return std::nullopt;
  if (hashed && !all_points(intervals)) return std::nullopt;
  if ((hashed || has_position(field.path)) && holds_array(intervals)) return std::nullopt;
  if (may_hide_null(field.path, intervals)) return std::nullopt;
  sayers.back() = sayer;
  return FieldIntervals{std::move(intervals), field.direction, field.form, field.collation, by_exclusion, of_no_array};
}

}  // namespace

void narrow(const IndexDescription& index, const FilterTree& filter, std::size_t end, std::vector<FieldIntervals>& narrowed,
            std::vector<FieldIntervals>* later) {
  const auto goes_on = [&] { return narrowed.empty() || all_points(narrowed.back().intervals); };
  if (!goes_on()) return;
  std::size_t ranges = range_count(narrowed);
  Sayers sayers(narrowed.size(), nullptr);
  std::size_t i = narrowed.size();
  std::optional<FieldIntervals> own;
  for (; i < end && goes_on() && index.fields[i].form != KeyForm::kText; ++i) {
    own = intervals_of(index, filter, i, sayers);
    if (!own || !makes_few_ranges(ranges, own->intervals.size())) break;
    ranges *= own->intervals.size();
    narrowed.push_back(*std::exchange(own, std::nullopt));
  }
  if (later == nullptr || narrowed.empty()) return;
  for (; i < end; ++i) {
    if (sayers.size() == i) own = intervals_of(index, filter, i, sayers);
    const IndexDescription::Field& field = index.fields[i];
    later->push_back(own ? *std::exchange(own, std::nullopt) : FieldIntervals{{}, field.direction, field.form, field.collation});
  }
  while (!later->empty() && later->back().intervals.empty()) later->pop_back();
}

}  // namespace partita::query
