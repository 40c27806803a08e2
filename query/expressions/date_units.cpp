// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_units.h"

#include <algorithm>
#include <string>

namespace partita::query {

std::optional<TimeUnit> time_unit(std::string_view name) {
  constexpr std::string_view kNames[] = {"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"};
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<TimeUnit>(found - std::begin(kNames));
}

std::int64_t ms_of(TimeUnit unit) {
  constexpr std::int64_t kMs[] = {0, 0, 0, 7 * kMsPerDay, kMsPerDay, kMsPerHour, kMsPerMinute, kMsPerSecond, 1};
  return kMs[static_cast<int>(unit)];
}

int months_of(TimeUnit unit) { return unit == TimeUnit::kYear ? 12 : unit == TimeUnit::kQuarter ? 3 : unit == TimeUnit::kMonth ? 1 : 0; }

std::optional<int> weekday_of(std::string_view name) {
  constexpr std::string_view kDays[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (int i = 0; i < 7; ++i)
    if (lower == kDays[i] || lower == kDays[i].substr(0, 3)) return i;
  return std::nullopt;
}

Result<UnitArguments> unit_arguments(std::string_view op, bson::Value unit, bson::Value first_weekday) {
  if (!unit.is_string()) return error(Code{5439013}, op, " requires 'unit' to be a string, but got ", unit.type_name());
  const auto known = time_unit(unit.as_string());
  if (!known)
    return error(Code{5439014}, op, " parameter 'unit' value cannot be recognized as a time unit: ", unit.as_string());
  UnitArguments made{*known};
  if (made.unit != TimeUnit::kWeek || first_weekday.missing()) return made;
  if (!first_weekday.is_string())
    return error(Code{5439015}, op, " requires 'startOfWeek' to be a string, but got ", first_weekday.type_name());
  const auto day = weekday_of(first_weekday.as_string());
  if (!day)
    return error(Code{5439016}, op, " parameter 'startOfWeek' value cannot be recognized as a day of a week: ", first_weekday.as_string());
  made.first_weekday = *day;
  return made;
}

Result<TimeZone> zone_argument(std::string_view op, bson::Value zone) {
  Result<TimeZone> found = TimeZone::of(zone);
  if (found.ok()) return found;
  return std::move(found).status().with_context(std::string(op) + " parameter 'timezone' value parsing failed :: caused by :: ");
}

}  // namespace partita::query
