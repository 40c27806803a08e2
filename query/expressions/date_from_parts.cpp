// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/civil_time.h"
#include "query/expressions/expression.h"
#include "query/expressions/time_zone.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

enum Place : std::uint8_t { kYear, kMonth, kDay, kIsoYear, kIsoWeek, kIsoDay, kHour, kMinute, kSecond, kMillisecond, kZone, kCount };
constexpr std::string_view kNames[] = {"year", "month", "day", "isoWeekYear", "isoWeek", "isoDayOfWeek",
                                       "hour", "minute", "second", "millisecond", "timezone"};

Result<Operands> arguments(Value operand) {
  if (!operand.is_document()) return error(Code{40519}, "$dateFromParts only supports an object as its argument");
  std::vector<Value> given(kCount);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < kCount && kNames[i] != field.name) ++i;
    if (i == kCount) return error(Code{40518}, "Unrecognized argument to $dateFromParts: ", field.name);
    given[i] = field.value;
  }
  const bool natural = !given[kYear].missing();
  const bool iso = !given[kIsoYear].missing();
  if (!natural && !iso) return error(Code{40516}, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  if (natural && (iso || !given[kIsoWeek].missing() || !given[kIsoDay].missing()))
    return error(Code{40489}, "$dateFromParts does not allow mixing natural dates with ISO dates");
  if (iso && (!given[kMonth].missing() || !given[kDay].missing()))
    return error(Code{40525}, "$dateFromParts does not allow mixing ISO dates with natural dates");
  Operands operands(given);
  for (Value& value : operands.values)  // What is not given has the value of the beginning.
    if (value.missing()) value = Value::of(std::int32_t{&value - operands.values.data() < kHour ? 1 : 0});
  operands.literals = {Value::of(iso), Value::of(!given[kZone].missing())};
  return operands;
}

/// A part, or null. Years are looked at later.
Result<std::optional<std::int64_t>> part(Args args, Place place) {
  constexpr std::int64_t kMost = 32767;
  const Value value = args[place];
  if (value.is_nullish()) return std::optional<std::int64_t>();
  const auto whole = value.is_number() ? value.exact_int64() : std::nullopt;
  if (!whole)
    return error(Code{40515}, "'", kNames[place], "' must evaluate to an integer, found ", value.type_name(), " with value ", bson::to_shell(value));
  if (place != kYear && place != kIsoYear && place < kSecond && (*whole < -kMost - 1 || *whole > kMost))
    return error(Code{31034}, "'", kNames[place], "' must evaluate to a value in the range [-32768, 32767]; value ", *whole, " is not in range");
  return whole;
}

/// Reads the parts from one on and before another; false if any of them is null.
Result<bool> read_parts(Args args, int from, int end, std::int64_t* parts) {
  bool all = true;
  for (int i = from; i < end; ++i) {
    TRY(const auto value, part(args, static_cast<Place>(i)));
    all = all && value;
    parts[i] = value.value_or(0);
  }
  return all;
}

/// The time of day first, then the zone, then the day: as in MongoDB, which of null and several errors is answered hangs on it.
Result<Value> from_parts(Args args, Arena&) {
  const bool iso = args[kCount].as_bool();
  const Place year = iso ? kIsoYear : kYear;
  std::int64_t parts[kCount] = {};
  TRY(const bool has_time, read_parts(args, kHour, kZone, parts));
  TimeZone zone;
  const bool has_zone = args[kCount + 1].as_bool();
  if (has_zone && !args[kZone].is_nullish()) {
    TRY(zone, TimeZone::of(args[kZone]));
  }
  if (!has_time || (has_zone && args[kZone].is_nullish())) return Value::null();
  TRY(const bool has_day, read_parts(args, year, year + 3, parts));
  if (!has_day) return Value::null();
  if (parts[year] < 1 || parts[year] > 9999)
    return error(Code{iso ? 31095 : 40523}, "'", kNames[year], "' must evaluate to an integer in the range 1 to 9999, found ", parts[year]);
  const std::int64_t days = iso ? days_of_iso_week(parts[kIsoYear], parts[kIsoWeek], parts[kIsoDay])
                                : days_of(parts[kYear], parts[kMonth], parts[kDay]);
  const std::int64_t minutes = parts[kHour] * 60 + parts[kMinute];
  constexpr std::int64_t kMost = INT64_MAX / 1000;  // mongod counts in microseconds.
  const bool fits = parts[kMillisecond] >= -kMost && parts[kMillisecond] <= kMost && parts[kSecond] >= -kMost / 1000 && parts[kSecond] <= kMost / 1000;
  const auto made = fits ? zone.to_utc(LocalTime::of(days, minutes * kMsPerMinute + parts[kSecond] * kMsPerSecond + parts[kMillisecond]))
                         : std::nullopt;
  if (!made) return error(Code::DurationOverflow, "Overflow casting from a lower-precision duration to a higher-precision duration");
  return Value::of(bson::Date{*made});
}

const RegisterEntry<Expression> kDateFromParts{{
    .name = "$dateFromParts",
    .min_args = kCount,
    .max_args = kCount,
    .summary = "The date that year, month, day... make, or an ISO week; parts that are too large go on into the next.",
    .evaluate = from_parts,
    .arguments = arguments,
    .examples = {{"{$dateFromParts: {year: '$a', month: 14, hour: 25}}", "{a: 2020}", "{$date: '2021-02-02T01:00:00Z'}"},
                 {"{$dateFromParts: {isoWeekYear: 2020, isoWeek: 5, isoDayOfWeek: 3}}", "{}", "{$date: '2020-01-29T00:00:00Z'}"},
                 {"{$dateFromParts: {year: 2020, timezone: 'America/New_York'}}", "{}", "{$date: '2020-01-01T05:00:00Z'}"},
                 {"{$dateFromParts: {year: 0}}", "{}", "error 40523"},
                 {"{$dateFromParts: {month: 1}}", "{}", "error 40516"}},
}};

}  // namespace
}  // namespace partita::query
