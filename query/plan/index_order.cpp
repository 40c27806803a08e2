// SPDX-License-Identifier: GPL-3.0-or-later
// Where the order of an index's keys is that of a sort.
#include <algorithm>

#include "query/plan/arrays.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

/// Nothing in these intervals is a text or might hold one.
bool is_free_of_texts(const std::vector<Interval>& intervals) {
  using bson::TypeClass;
  return std::ranges::all_of(intervals, [](const Interval& interval) {
    const TypeClass low = interval.low.type_class;
    const TypeClass high = interval.high.type_class;
    if (low == high) return !is_collated(low);
    return high < TypeClass::kString || (low > TypeClass::kArray && high < TypeClass::kCodeWithScope);
  });
}

}  // namespace

std::optional<Order> serves_sort(const IndexDescription& index, const std::vector<FieldIntervals>& narrowed,
                                 const SortSpec& spec, bool each_point_by_itself) {
  const std::span<const SortField> sort = spec.fields();
  std::optional<bool> backward;
  Order order;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < index.fields.size() && asked < sort.size(); ++i) {
    if (sort[asked].text_score) return std::nullopt;
    const bool told = i < narrowed.size() && !narrowed[i].intervals.empty();
    const bool one_point = told && (each_point_by_itself || narrowed[i].intervals.size() == 1) && all_points(narrowed[i].intervals);
    if (index.fields[i].form != KeyForm::kValue && !one_point) return std::nullopt;
    if (index.fields[i].path != sort[asked].path) {
      if (!one_point) return std::nullopt;
      order.fields.push_back(InSort::kPinned);
      continue;
    }
    if (may_have_array(index, i)) return std::nullopt;  // It has several places in the order.
    if (index.fields[i].form == KeyForm::kHash && each_point_by_itself) return std::nullopt;  // The values are not in the keys.
    const bool same_order = agree(index.fields[i].collation, spec.collation());
    if (!same_order && (each_point_by_itself || !one_point) && !(told && is_free_of_texts(narrowed[i].intervals))) return std::nullopt;
    const bool against = index.fields[i].direction != sort[asked].direction;
    if (!one_point && backward.value_or(against) != against) return std::nullopt;
    if (!one_point) backward = against;
    order.fields.push_back(against ? InSort::kComplement : InSort::kAsItIs);
    ++asked;
  }
  if (asked < sort.size()) return std::nullopt;
  order.backward = backward.value_or(false);
  return order;
}

}  // namespace partita::query
