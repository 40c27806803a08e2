// SPDX-License-Identifier: GPL-3.0-or-later
// An end of an interval is a cut between keys: right before, or right after, all keys that begin with some bytes. In a
// descending field the bytes are complemented and before becomes after. As a bound, "before P" is P itself and "after P"
// is the first key that does not begin with P.
#include "query/plan/key_range.h"

#include <algorithm>
#include <iterator>

#include "query/arena.h"
#include "query/keys/bounds.h"
#include "query/shard_key/shard_key.h"

namespace partita::query {
namespace {

using bson::TypeClass;
using keys::Direction;
using At = IntervalEnd::At;

struct Cut {
  bson::Buffer prefix;
  bool after = false;
};

/// The lead byte of the class above.
std::uint8_t next_class(TypeClass type_class) {
  constexpr TypeClass kClasses[] = {
      TypeClass::kMinKey,   TypeClass::kUndefined, TypeClass::kNull,     TypeClass::kNumber,    TypeClass::kString,
      TypeClass::kDocument, TypeClass::kArray,     TypeClass::kBinary,   TypeClass::kObjectId,  TypeClass::kBool,
      TypeClass::kDate,     TypeClass::kTimestamp, TypeClass::kRegex,    TypeClass::kDBPointer, TypeClass::kCode,
      TypeClass::kCodeWithScope, TypeClass::kMaxKey};
  const auto* found = std::upper_bound(std::begin(kClasses), std::end(kClasses), type_class);
  return found == std::end(kClasses) ? 0xFF : static_cast<std::uint8_t>(*found);
}

bool is_hash(KeyForm form) { return form == KeyForm::kHash || form == KeyForm::kHashAndValue; }

void append_point(const FieldIntervals& field, bson::Value value, bson::Buffer& key) {
  if (is_hash(field.form)) keys::append_hash(hash_of(value, field.collation), key);
  if (field.form != KeyForm::kHash) keys::encode_or_null(value, field.direction, key, nullptr, field.collation);
}

/// Texts that begin so have keys that begin with these bytes: those of the prefix without the zero that ends it.
void append_prefix(const std::string& prefix, Direction direction, bson::Buffer& key) {
  Arena arena(prefix.size() + 16);
  keys::encode(arena.string(prefix), direction, key);
  key.truncate(key.size() - 1);
}

/// The cut at one end, behind keys of earlier fields. `is_low`: in the order of values, not of keys.
Cut cut_at(const IntervalEnd& end, bool is_low, const FieldIntervals& field, std::string_view earlier) {
  const Direction direction = field.direction;
  Cut cut;
  cut.prefix.append(earlier);
  const bool descending = direction == Direction::kDescending;
  if (end.at == At::kValue) {
    keys::encode(end.value, direction, cut.prefix, nullptr, field.collation);
    cut.after = is_low ? !end.inclusive : end.inclusive;
  } else if (end.at == At::kPrefixStart || end.at == At::kPrefixEnd) {
    append_prefix(end.prefix(), direction, cut.prefix);
    cut.after = end.at == At::kPrefixEnd;
  } else {
    const std::uint8_t lead =
        end.at == At::kClassStart ? static_cast<std::uint8_t>(end.type_class) : next_class(end.type_class);
    cut.prefix.push(descending ? static_cast<std::uint8_t>(~lead) : lead);
    cut.after = false;
  }
  if (descending) cut.after = !cut.after;
  return cut;
}

std::string bound(Cut cut) {
  if (cut.after && !keys::make_prefix_successor(cut.prefix)) return {};
  return std::string(cut.prefix.text());
}

std::vector<KeyRange> last_field(const FieldIntervals& field, const std::vector<std::string>& prefixes) {
  std::vector<KeyRange> ranges;
  ranges.reserve(prefixes.size() * field.intervals.size());
  for (const std::string& prefix : prefixes) {
    for (const Interval& interval : field.intervals) {
      if (is_hash(field.form)) {
        Cut low;
        low.prefix.append(prefix);
        append_point(field, interval.low.value, low.prefix);
        const std::string from(low.prefix.text());
        low.after = true;
        ranges.push_back({from, bound(std::move(low))});
        continue;
      }
      Cut low = cut_at(interval.low, true, field, prefix);
      Cut high = cut_at(interval.high, false, field, prefix);
      if (field.direction == Direction::kDescending) std::swap(low, high);
      ranges.push_back({bound(std::move(low)), bound(std::move(high))});
    }
  }
  return ranges;
}

}  // namespace

std::vector<KeyRange> key_ranges(std::span<const FieldIntervals> fields) {
  std::vector<std::string> prefixes{""};
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    std::vector<std::string> longer;
    for (const std::string& prefix : prefixes) {
      for (const Interval& interval : fields[i].intervals) {
        bson::Buffer key;
        key.append(prefix);
        append_point(fields[i], interval.low.value, key);
        longer.emplace_back(key.text());
      }
    }
    prefixes = std::move(longer);
  }
  std::vector<KeyRange> ranges = last_field(fields.back(), prefixes);
  if (!std::ranges::is_sorted(ranges, {}, &KeyRange::lower)) std::ranges::sort(ranges, {}, &KeyRange::lower);
  // Two values may share a hash, and two texts a place.
  const auto may_share = [](const FieldIntervals& field) { return field.form == KeyForm::kHash || field.collation != nullptr; };
  if (std::ranges::any_of(fields, may_share)) ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

namespace {

KeyRange range_of(const Interval& interval, const Collator* collation) {
  const FieldIntervals field{{interval}, Direction::kAscending, KeyForm::kValue, collation};
  return key_ranges(std::span(&field, 1)).front();
}

/// Puts what overlaps, or adjoins, together: `range_of(item)` says where it lies, `extend(item, other)` makes it end with another.
template <class Item, class RangeOf, class Extend>
std::vector<Item> join_overlapping(std::vector<Item> items, RangeOf&& range_of, Extend&& extend) {
  std::ranges::sort(items, {}, [&](const Item& item) -> const std::string& { return range_of(item).lower; });
  std::vector<Item> joined;
  for (Item& item : items) {
    const bool apart = joined.empty() || (!range_of(joined.back()).upper.empty() && range_of(joined.back()).upper < range_of(item).lower);
    if (apart) {
      joined.push_back(std::move(item));
      continue;
    }
    const std::string& end = range_of(joined.back()).upper;
    const bool reaches_further = !end.empty() && (range_of(item).upper.empty() || end < range_of(item).upper);
    if (reaches_further) extend(joined.back(), item);
  }
  return joined;
}

}  // namespace

std::vector<KeyRange> united(std::vector<KeyRange> ranges) {
  const auto itself = [](const KeyRange& range) -> const KeyRange& { return range; };
  return join_overlapping(std::move(ranges), itself, [](KeyRange& range, const KeyRange& other) { range.upper = other.upper; });
}

std::vector<Interval> united(std::vector<Interval> intervals, const Collator* collation) {
  struct Placed {
    KeyRange range;
    Interval interval;
  };
  std::vector<Placed> placed;
  for (Interval& interval : intervals) {
    KeyRange range = range_of(interval, collation);
    placed.push_back({std::move(range), std::move(interval)});
  }
  const auto placed_at = [](const Placed& one) -> const KeyRange& { return one.range; };
  const auto extend = [](Placed& one, const Placed& other) {
    one.range.upper = other.range.upper;
    one.interval.high = other.interval.high;
  };
  std::vector<Interval> joined;
  for (Placed& one : join_overlapping(std::move(placed), placed_at, extend)) joined.push_back(std::move(one.interval));
  return joined;
}

std::vector<Interval> in_both(const std::vector<Interval>& a, const std::vector<Interval>& b, const Collator* collation) {
  std::vector<Interval> both;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const KeyRange left = range_of(a[i], collation);
    const KeyRange right = range_of(b[k], collation);
    const bool left_ends = !left.upper.empty() && (right.upper.empty() || left.upper < right.upper);
    const bool meet = std::max(left.lower, right.lower) < (left_ends ? left.upper : right.upper) || (left.upper.empty() && right.upper.empty());
    if (meet) both.push_back({left.lower < right.lower ? b[k].low : a[i].low, left_ends ? a[i].high : b[k].high});
    left_ends ? ++i : ++k;
  }
  return both;
}

}  // namespace partita::query
