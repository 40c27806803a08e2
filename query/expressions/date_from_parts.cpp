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

/// A part, or null.
Result<std::optional<std::int64_t>> part(Args args, Place place) {
  constexpr std::int64_t kMost = 32767;
  const Value value = args[place];
  if (value.is_nullish()) return std::optional<std::int64_t>();
  const auto whole = value.is_number() ? value.exact_int64() : std::nullopt;
  if (!whole)
    return error(Code{40515}, "'", kNames[place], "' must evaluate to an integer, found ", value.type_name(), " with value ", bson::to_shell(value));
  if (place == kYear || place == kIsoYear) {
    if (*whole < 1 || *whole > 9999)
      return error(Code{place == kYear ? 40523 : 31095}, "'", kNames[place], "' must evaluate to an integer in the range 1 to 9999, found ", *whole);
  } else if (place < kSecond && (*whole < -kMost - 1 || *whole > kMost)) {
    return error(Code{31034}, "'", kNames[place], "' must evaluate to a value in the range [-32768, 32767]; value ", *whole, " is not in range");
  }
  return whole;
}

Result<Value> from_parts(Args args, Arena&) {
  __extension__ using Wide = __int128;
  const bool iso = args[kCount].as_bool();
  std::int64_t parts[kCount] = {};
  for (int i = iso ? kIsoYear : kYear; i < kZone; ++i) {
    if (!iso && i == kIsoYear) i = kHour;
    TRY(const auto value, part(args, static_cast<Place>(i)));
    if (!value) return Value::null();
    parts[i] = *value;
  }
  TimeZone zone;
  if (args[kCount + 1].as_bool()) {
    if (args[kZone].is_nullish()) return Value::null();
    TRY(zone, TimeZone::of(args[kZone]));
  }
  const std::int64_t days = iso ? days_of_iso_week(parts[kIsoYear], parts[kIsoWeek], parts[kIsoDay])
                                : days_of(parts[kYear], parts[kMonth], parts[kDay]);
  const Wide local = Wide{days} * kMsPerDay + Wide{parts[kHour]} * kMsPerHour + Wide{parts[kMinute]} * kMsPerMinute +
                     Wide{parts[kSecond]} * kMsPerSecond + parts[kMillisecond];
  constexpr std::int64_t kMost = INT64_MAX / 1000;  // mongod counts in microseconds.
  const bool fits = parts[kMillisecond] >= -kMost && parts[kMillisecond] <= kMost && parts[kSecond] >= -kMost / 1000 && parts[kSecond] <= kMost / 1000;
  if (!fits || local < INT64_MIN + kMsPerDay || local > INT64_MAX - kMsPerDay)
    return error(Code::DurationOverflow, "Overflow casting from a lower-precision duration to a higher-precision duration");
  return Value::of(bson::Date{zone.to_utc(static_cast<std::int64_t>(local))});
}

const RegisterEntry<Expression> kDateFromParts{{
    .name = "$dateFromParts",
    .min_args = kCount,
    .max_args = kCount,
    .summary = "The date that year, month, day... make, or an ISO week; parts that are too large go on into the next.",
    .evaluate = from_parts,
    .arguments = arguments,
    .null_stops = kZone,
    .examples = {{"{$dateFromParts: {year: '$a', month: 14, hour: 25}}", "{a: 2020}", "{$date: '2021-02-02T01:00:00Z'}"},
                 {"{$dateFromParts: {isoWeekYear: 2020, isoWeek: 5, isoDayOfWeek: 3}}", "{}", "{$date: '2020-01-29T00:00:00Z'}"},
                 {"{$dateFromParts: {year: 2020, timezone: 'America/New_York'}}", "{}", "{$date: '2020-01-01T05:00:00Z'}"},
                 {"{$dateFromParts: {year: 0}}", "{}", "error 40523"},
                 {"{$dateFromParts: {month: 1}}", "{}", "error 40516"}},
}};

}  // namespace
}  // namespace partita::query
