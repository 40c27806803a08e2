// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_units.h"
#include "query/expressions/date_values.h"
#include "query/expressions/expression.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"date", "unit", "binSize", "timezone", "startOfWeek"};
  if (!operand.is_document()) return error(Code{5439007}, "$dateTrunc only supports an object as its argument");
  std::vector<Value> given(5);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 5 && kNames[i] != field.name) ++i;
    if (i == 5)
      return error(Code{5439008}, "Unrecognized argument to $dateTrunc: ", field.name,
                   ". Expected arguments are date, unit, and optionally, binSize, timezone, startOfWeek");
    given[i] = field.value;
  }
  for (int i = 0; i < 2; ++i)
    if (given[i].missing()) return error(Code{5439009 + i}, "Missing '", kNames[i], "' parameter to $dateTrunc");
  const bool has_zone = !given[3].missing();
  const bool has_weekday = !given[4].missing();
  if (given[2].missing()) given[2] = Value::of(std::int64_t{1});
  Operands operands(std::move(given));
  operands.literals = {Value::of(has_zone), Value::of(has_weekday)};
  return operands;
}

Result<std::int64_t> bin_size(Value value) {
  const auto whole = value.is_number() ? value.exact_int64() : std::nullopt;
  if (!whole)
    return error(Code{5439017}, "$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '", bson::to_shell(value), "' of type ",
                 value.type_name());
  if (*whole <= 0) return error(Code{5439018}, "$dateTrunc requires 'binSize' to be greater than 0, but got value ", *whole);
  return *whole;
}

/// Bins are counted from the beginning of the year 2000, on the local calendar; weeks from the first day behind it that
/// they begin with.
Result<Value> truncate(bson::Date date, const UnitArguments& by, std::int64_t size, const TimeZone& zone) {
  __extension__ using Wide = __int128;
  constexpr std::int64_t kMostBins = 100'000'000'000;
  constexpr std::int64_t kReferenceDay = 10957;  // 2000-01-01, a Saturday.
  if (size >= kMostBins) return error(Code{5439006}, "dateTrunc unsupported binSize value");
  const auto begin_of_day = [&](std::int64_t days) -> Result<Value> {
    const auto made = zone.to_utc(LocalTime{days, 0});
    if (!made) return error(Code{5166406}, "dateAdd overflowed");
    return Value::of(bson::Date{*made});
  };
  if (const int months = months_of(by.unit); months > 0) {
    const CivilTime time = civil_time(zone.to_local(date.ms_since_epoch));
    const std::int64_t since = (time.year - 2000) * 12 + time.month - 1;
    const std::int64_t bin = size * months;
    return begin_of_day(days_of(2000, floor_divide(since, bin) * bin + 1, 1));
  }
  if (by.unit == TimeUnit::kWeek || by.unit == TimeUnit::kDay) {
    const bool weeks = by.unit == TimeUnit::kWeek;
    const std::int64_t reference = kReferenceDay + (weeks ? (by.first_weekday + 1) % 7 : 0);
    const std::int64_t bin = size * (weeks ? 7 : 1);
    const std::int64_t day = zone.to_local(date.ms_since_epoch).days;
    return begin_of_day(reference + floor_divide(day - reference, bin) * bin);
  }
  const Wide reference = *zone.to_utc(LocalTime{kReferenceDay, 0});
  const Wide bin = Wide{size} * ms_of(by.unit);
  const Wide since = Wide{date.ms_since_epoch} - reference;
  const Wide bins = since / bin - (since % bin < 0 ? 1 : 0);
  const Wide begin = reference + bins * bin;
  if (since < INT64_MIN || begin < INT64_MIN) return error(Code{5439000}, "dateTrunc overflowed");
  return Value::of(bson::Date{static_cast<std::int64_t>(begin)});
}

Result<Value> date_trunc(Args args, Arena&) {
  const bool has_zone = args[5].as_bool();
  const bool has_weekday = args[6].as_bool();
  if (args[0].is_nullish() || args[1].is_nullish() || args[2].is_nullish() || (has_zone && args[3].is_nullish())) return Value::null();
  const bool weeks = args[1].is_string() && args[1].as_string() == "week";
  if (weeks && has_weekday && args[4].is_nullish()) return Value::null();
  const auto date = as_date(args[0]);
  if (!date) return error(Code{5439012}, "$dateTrunc requires 'date' to be a date, but got ", args[0].type_name());
  TRY(const UnitArguments by, unit_arguments("$dateTrunc", args[1], has_weekday ? args[4] : Value()));
  TRY(const std::int64_t size, bin_size(args[2]));
  TimeZone zone;
  if (has_zone) {
    TRY(zone, zone_argument("$dateTrunc", args[3]));
  }
  return truncate(*date, by, size, zone);
}

const RegisterEntry<Expression> kDateTrunc{{
    .name = "$dateTrunc",
    .min_args = 5,
    .max_args = 5,
    .summary = "The beginning of the year, month, day... that a date lies in, or of several of them together.",
    .evaluate = date_trunc,
    .arguments = arguments,
    .null_stops = 2,
    .examples = {{"{$dateTrunc: {date: '$a', unit: 'month'}}", "{a: {$date: '2020-07-15T04:04:05.678Z'}}", "{$date: '2020-07-01T00:00:00Z'}"},
                 {"{$dateTrunc: {date: '$a', unit: 'hour', binSize: 6, timezone: '+01'}}", "{a: {$date: '2020-07-15T04:04:05.678Z'}}",
                  "{$date: '2020-07-14T23:00:00Z'}"},
                 {"{$dateTrunc: {date: '$a', unit: 'week', startOfWeek: 'monday'}}", "{a: {$date: '2020-07-01T04:00:00Z'}}",
                  "{$date: '2020-06-29T00:00:00Z'}"},
                 {"{$dateTrunc: {date: '$a', unit: 'day', binSize: 0}}", "{a: {$date: '2020-07-15T04:04:05.678Z'}}", "error 5439018"},
                 {"{$dateTrunc: {date: 1, unit: 'day'}}", "{}", "error 5439012"}},
}};

}  // namespace
}  // namespace partita::query
