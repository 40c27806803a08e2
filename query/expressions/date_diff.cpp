// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_units.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"startDate", "endDate", "unit", "timezone", "startOfWeek"};
  if (!operand.is_document()) return error(Code{5166301}, "$dateDiff only supports an object as its argument");
  std::vector<Value> given(5);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 5 && kNames[i] != field.name) ++i;
    if (i == 5) return error(Code{5166302}, "Unrecognized argument to $dateDiff: ", field.name);
    given[i] = field.value;
  }
  for (int i = 0; i < 3; ++i)
    if (given[i].missing()) return error(Code{5166303 + i}, "Missing '", kNames[i], "' parameter to $dateDiff");
  const bool has_zone = !given[3].missing();
  const bool has_weekday = !given[4].missing();
  Operands operands(std::move(given));
  operands.literals = {Value::of(has_zone), Value::of(has_weekday)};
  return operands;
}

/// How many beginnings of units lie between the two. Hours and minutes begin by the local clock, and are counted by one
/// that does not jump.
Result<Value> difference(bson::Date start, bson::Date end, const UnitArguments& by, const TimeZone& zone) {
  const LocalTime from = zone.to_local(start.ms_since_epoch);
  const LocalTime to = zone.to_local(end.ms_since_epoch);
  const auto count = [](std::int64_t number) { return Value::of(number); };
  if (const int months = months_of(by.unit); months > 0) {
    const auto number = [&](LocalTime local) {
      const CivilTime time = civil_time(local);
      return floor_divide(time.year * 12 + time.month - 1, months);
    };
    return count(number(to) - number(from));
  }
  switch (by.unit) {
    case TimeUnit::kWeek: {
      const auto number = [&](LocalTime local) { return floor_divide(local.days + 4 - by.first_weekday, 7); };
      return count(number(to) - number(from));
    }
    case TimeUnit::kDay:
      return count(to.days - from.days);
    case TimeUnit::kHour:
    case TimeUnit::kMinute: {
      const std::int64_t unit = ms_of(by.unit);
      const std::int64_t jumped = zone.offset_at(start.ms_since_epoch) - zone.offset_at(end.ms_since_epoch);
      return count((to.days - from.days) * (kMsPerDay / unit) + to.ms_of_day / unit - from.ms_of_day / unit + jumped / unit);
    }
    case TimeUnit::kSecond:
      return count(floor_divide(end.ms_since_epoch, kMsPerSecond) - floor_divide(start.ms_since_epoch, kMsPerSecond));
    default: {
      std::int64_t result = 0;
      if (__builtin_sub_overflow(end.ms_since_epoch, start.ms_since_epoch, &result)) return error(Code{5166308}, "dateDiff overflowed");
      return count(result);
    }
  }
}

Result<Value> date_diff(Args args, Arena&) {
  const bool has_zone = args[5].as_bool();
  const bool has_weekday = args[6].as_bool();
  if (args[0].is_nullish() || args[1].is_nullish() || args[2].is_nullish() || (has_zone && args[3].is_nullish())) return Value::null();
  const bool weeks = args[2].is_string() && args[2].as_string() == "week";
  if (weeks && has_weekday && args[4].is_nullish()) return Value::null();
  const auto start = as_date(args[0]);
  if (!start) return error(Code{5166307}, "$dateDiff requires 'startDate' to be a date, but got ", args[0].type_name());
  const auto end = as_date(args[1]);
  if (!end) return error(Code{5166307}, "$dateDiff requires 'endDate' to be a date, but got ", args[1].type_name());
  TRY(const UnitArguments by, unit_arguments("$dateDiff", args[2], has_weekday ? args[4] : Value()));
  TimeZone zone;
  if (has_zone) {
    TRY(zone, zone_argument("$dateDiff", args[3]));
  }
  return difference(*start, *end, by, zone);
}

const RegisterEntry<Expression> kDateDiff{{
    .name = "$dateDiff",
    .min_args = 5,
    .max_args = 5,
    .summary = "How many years, months, days... begin between two dates.",
    .evaluate = date_diff,
    .arguments = arguments,
    .null_stops = 3,
    .examples = {{"{$dateDiff: {startDate: '$a', endDate: '$b', unit: 'year'}}", "{a: {$date: '2019-12-31T23:59:59Z'}, b: {$date: '2020-01-01T00:00:00Z'}}",
                  "{$numberLong: '1'}"},
                 {"{$dateDiff: {startDate: '$a', endDate: '$b', unit: 'week', startOfWeek: 'Friday'}}",
                  "{a: {$date: '2020-07-01T00:00:00Z'}, b: {$date: '2020-07-04T00:00:00Z'}}", "{$numberLong: '1'}"},
                 {"{$dateDiff: {startDate: '$a', endDate: '$b', unit: 'day'}}", "{}", "null"},
                 {"{$dateDiff: {startDate: 1, endDate: 2, unit: 'day'}}", "{}", "error 5166307"}},
}};

}  // namespace
}  // namespace partita::query
