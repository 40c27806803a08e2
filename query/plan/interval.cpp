// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/interval.h"

#include <algorithm>

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

IntervalEnd at_value(Value value, bool inclusive) {
  return {.type_class = bson::type_class(value.type()), .value = value, .inclusive = inclusive};
}

/// Null stands for missing and undefined too, which have keys of their own right below it.
Interval point(Value value) {
  if (value.is_nullish()) return {class_start(TypeClass::kUndefined), at_value(Value::null(), true)};
  return {at_value(value, true), at_value(value, true)};
}

/// An array has no key as a whole, only its elements do.
bool has_key(Value value) { return !value.is_array(); }

std::vector<Interval> points(bson::View list) {
  std::vector<Value> values;
  for (const bson::Field& field : list) {
    if (!has_key(field.value)) return {};
    values.push_back(field.value);
  }
  std::sort(values.begin(), values.end(), [](Value a, Value b) { return bson::compare(a, b) < 0; });
  const auto same = std::unique(values.begin(), values.end(), [](Value a, Value b) { return bson::equal(a, b); });
  values.erase(same, values.end());
  std::vector<Interval> intervals;
  for (const Value value : values) intervals.push_back(point(value));
  return intervals;
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
  if (lower && upper && (multikey || bson::type_class(upper->value.type()) != type_class)) upper.reset();
  return {{lower ? at_value(lower->value, lower->inclusive) : class_start(type_class),
           upper ? at_value(upper->value, upper->inclusive) : class_end(type_class)}};
}

std::string text_of(const IntervalEnd& end) {
  const bool start = end.at == At::kClassStart;
  if (end.at == At::kValue) return bson::to_shell(end.value);
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
    case TypeClass::kObjectId:
      return start ? "ObjectId('000000000000000000000000')" : "ObjectId('ffffffffffffffffffffffff')";
    default:
      return start ? "first of its type" : "last of its type";
  }
}

}  // namespace

bool Interval::is_point() const {
  return low.at == At::kValue && high.at == At::kValue && low.inclusive && high.inclusive &&
         bson::equal(low.value, high.value);
}

std::string Interval::text() const {
  const bool open_above = !high.inclusive || (high.at == At::kClassEnd && (high.type_class == TypeClass::kString ||
                                                                          high.type_class == TypeClass::kDocument));
  return (low.inclusive ? "[" : "(") + text_of(low) + ", " + text_of(high) + (open_above ? ")" : "]");
}

std::vector<Interval> intervals_for(const PathBounds& bounds, bool multikey) {
  if (bounds.equal) return has_key(*bounds.equal) ? std::vector{point(*bounds.equal)} : std::vector<Interval>{};
  if (bounds.in) return points(*bounds.in);
  return range(bounds.lower, bounds.upper, multikey);
}

}  // namespace partita::query
