// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "query/plan/candidates.h"
#include "query/regex/literal_prefix.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::TypeClass;
using bson::Value;
using At = IntervalEnd::At;

IntervalEnd class_start(TypeClass type_class) { return {.at = At::kClassStart, .type_class = type_class}; }
IntervalEnd class_end(TypeClass type_class) { return {.at = At::kClassEnd, .type_class = type_class}; }

/// An array has no key as a whole, only its elements do. One that is an element itself has.
bool has_key(Value value) { return !value.is_array(); }

bool is_nan(Value value) {
  return bson::type_class(value.type()) == TypeClass::kNumber && std::isnan(value.to_double().value_or(0));
}

/// What has a key wherever a value equals this one. Of an array it is its first element, and itself, where it is an element.
/// That of an array of none is what null is too.
void add_key_of(Value value, std::vector<Value>& values) {
  if (!value.is_array()) return values.push_back(value.is_nullish() ? Value::null() : value);
  const bson::View elements = value.as_document();
  const Value first = elements.empty() ? Value::null() : elements.begin()->value;
  values.push_back(first.is_nullish() ? Value::null() : first);
  values.push_back(value);
}

/// In their order, each once.
std::vector<Interval> points(std::vector<Value> values) {
  const auto before = [](Value a, Value b) { return bson::compare(a, b) < 0; };
  if (!std::ranges::is_sorted(values, before)) std::ranges::sort(values, before);  // Long lists often are.
  const auto same = std::unique(values.begin(), values.end(), [](Value a, Value b) { return bson::equal(a, b); });
  values.erase(same, values.end());
  std::vector<Interval> intervals;
  intervals.reserve(values.size());
  for (const Value value : values) intervals.push_back(point(value));
  return intervals;
}

/// Texts that begin as the regular expression demands.
Interval texts(Value regex) {
  return {{.at = At::kPrefixStart, .type_class = TypeClass::kString, .value = regex},
          {.at = At::kPrefixEnd, .type_class = TypeClass::kString, .value = regex}};
}

/// Both the texts that it matches and itself. One that does not say how the texts begin may match any: the keys say which,
/// but for those of arrays, where there are more keys than documents.
std::vector<Interval> matches_of(Value regex, bool multikey) {
  if (multikey && texts(regex).low.prefix().empty()) return {};
  return {texts(regex), point(regex)};
}

/// The texts behind some regular expressions, in ascending order, without those that others hold.
std::vector<Interval> texts_of(std::span<const Value> regexes) {
  std::vector<std::pair<std::string, Value>> prefixes;
  for (const Value regex : regexes) prefixes.emplace_back(texts(regex).low.prefix(), regex);
  std::ranges::sort(prefixes, {}, [](const auto& prefix) -> const std::string& { return prefix.first; });
  std::vector<Interval> intervals;
  std::string_view last;
  for (const auto& [prefix, regex] : prefixes) {
    if (!intervals.empty() && prefix.starts_with(last)) continue;
    intervals.push_back(texts(regex));
    last = prefix;
  }
  return intervals;
}

bool is_text(Value value) { return bson::type_class(value.type()) == TypeClass::kString; }

/// Puts the texts of regular expressions among the points, all of them ascending.
std::vector<Interval> merge(const std::vector<Interval>& points, const std::vector<Interval>& texts) {
  std::vector<Interval> merged;
  auto next = points.begin();
  for (const Interval& interval : texts) {
    const std::string prefix = interval.low.prefix();
    auto below = [&](Value value) {
      return is_text(value) ? value.as_string() < prefix : bson::type_class(value.type()) < TypeClass::kString;
    };
    while (next != points.end() && below(next->high.value)) merged.push_back(*next++);
    merged.push_back(interval);
    while (next != points.end() && is_text(next->high.value) && next->high.value.as_string().starts_with(prefix)) ++next;
  }
  merged.insert(merged.end(), next, points.end());
  return merged;
}

std::vector<Interval> points(bson::View list, bool multikey) {
  std::vector<Value> values;
  std::vector<Value> regexes;
  for (const bson::Field& field : list) {
    if (field.value.is(Type::kRegex)) {
      if (matches_of(field.value, multikey).empty()) return {};
      regexes.push_back(field.value);
    }
    add_key_of(field.value, values);
  }
  std::vector<Interval> intervals = points(std::move(values));
  return regexes.empty() ? intervals : merge(intervals, texts_of(regexes));
}

/// Comparisons with MinKey and MaxKey reach over all classes and narrow nothing down.
bool narrows(const std::optional<Edge>& edge) {
  return edge && has_key(edge->value) && !edge->value.is(Type::kMinKey) && !edge->value.is(Type::kMaxKey);
}

std::vector<Interval> range(std::optional<Edge> lower, std::optional<Edge> upper, bool multikey) {
  if (!narrows(lower)) lower.reset();
  if (!narrows(upper)) upper.reset();
  if (!lower && !upper) return {};
  const TypeClass type_class = bson::type_class((lower ? lower : upper)->value.type());
  if (type_class == TypeClass::kNull) return {point(Value::null())};
  for (const auto& edge : {lower, upper}) {
    if (edge && is_nan(edge->value)) return {point(edge->value)};  // It is neither above nor below anything.
  }
  if (lower && upper && (multikey || bson::type_class(upper->value.type()) != type_class)) upper.reset();
  // NaN lies below all numbers, and is less than none.
  const auto first = [&] {
    return type_class == TypeClass::kNumber ? at_value(Value::of(-std::numeric_limits<double>::infinity()), true) : class_start(type_class);
  };
  return {{lower ? at_value(lower->value, lower->inclusive) : first(),
           upper ? at_value(upper->value, upper->inclusive) : class_end(type_class)}};
}

/// The first text behind all that begin so, as near as it can be shown.
std::string text_of_prefix(const IntervalEnd& end) {
  std::string prefix = end.prefix();
  if (prefix.empty()) return end.at == At::kPrefixEnd ? "{}" : "\"\"";
  if (end.at == At::kPrefixEnd) ++prefix.back();
  return '"' + prefix + '"';
}

/// As MongoDB shows a sort key.
std::string text_of_sort_key(std::string_view text, const Collator& collation) {
  bson::Buffer key;
  collation.append_sort_key(text, key);
  std::string shown = "CollationKey(0x";
  for (const std::uint8_t byte : key.bytes()) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    shown += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return shown + ')';
}

std::string text_of(const IntervalEnd& end, const Collator* collation) {
  if (collation != nullptr && end.at == At::kValue && end.value.is_string()) return text_of_sort_key(end.value.as_string(), *collation);
  if (collation != nullptr && end.at == At::kClassStart && end.type_class == TypeClass::kString) return "CollationKey(0x)";
  const bool start = end.at == At::kClassStart;
  if (end.at == At::kValue) return is_nan(end.value) ? "nan" : bson::to_shell(end.value);
  if (end.at == At::kPrefixStart || end.at == At::kPrefixEnd) return text_of_prefix(end);
  switch (end.type_class) {
    case TypeClass::kNumber:
      return start ? "nan" : "inf";
    case TypeClass::kString:
      return start ? "\"\"" : "{}";
    case TypeClass::kDocument:
      return start ? "{}" : "[]";
    case TypeClass::kBool:
      return start ? "false" : "true";
    case TypeClass::kUndefined:
      return "undefined";
    case TypeClass::kMinKey:
      return "MinKey";
    case TypeClass::kMaxKey:
      return "MaxKey";
    case TypeClass::kObjectId:
      return start ? "ObjectId('000000000000000000000000')" : "ObjectId('ffffffffffffffffffffffff')";
    default:
      return start ? "first of its type" : "last of its type";
  }
}

}  // namespace

IntervalEnd at_value(Value value, bool inclusive) {
  return {.type_class = bson::type_class(value.type()), .value = value, .inclusive = inclusive};
}

Interval point(Value value) {
  if (value.is_nullish()) return {class_start(TypeClass::kUndefined), at_value(Value::null(), true)};
  return {at_value(value, true), at_value(value, true)};
}

std::string IntervalEnd::prefix() const {
  const bson::Regex regex = value.as_regex();
  return literal_prefix(regex.pattern, regex.options);
}

bool Interval::is_point() const {
  return low.at == At::kValue && high.at == At::kValue && low.inclusive && high.inclusive &&
         bson::equal(low.value, high.value);
}

std::string Interval::text(const Collator* collation) const {
  const bool at_class_end = high.at == At::kClassEnd &&
                            (high.type_class == TypeClass::kString || high.type_class == TypeClass::kDocument);
  const bool open_above = !high.inclusive || high.at == At::kPrefixEnd || high.at == At::kClassStart || at_class_end;
  return (low.inclusive && low.at != At::kClassEnd ? "[" : "(") + text_of(low, collation) + ", " + text_of(high, collation) + (open_above ? ")" : "]");
}

std::vector<Interval> intervals_for(const PathBounds& bounds, bool multikey) {
  if (bounds.equal) {
    std::vector<Value> keys;
    add_key_of(*bounds.equal, keys);
    return points(std::move(keys));
  }
  if (bounds.in) return points(*bounds.in, multikey);
  std::vector<Interval> intervals;
  if (bounds.regex) intervals = matches_of(*bounds.regex, multikey);
  return intervals.empty() ? range(bounds.lower, bounds.upper, multikey && !bounds.of_one_value) : intervals;
}

}  // namespace partita::query
