// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "query/expressions/civil_time.h"
#include "query/expressions/time_zone.h"

namespace partita::query {

enum class TimeUnit : std::uint8_t { kYear, kQuarter, kMonth, kWeek, kDay, kHour, kMinute, kSecond, kMillisecond };

std::optional<TimeUnit> time_unit(std::string_view name);
/// Milliseconds of units that are always equally long; 0 of the others.
std::int64_t ms_of(TimeUnit unit);
/// Of years, quarters and months; 0 of the others.
int months_of(TimeUnit unit);

/// 0 for "sunday" or "sun", in any case.
std::optional<int> weekday_of(std::string_view name);

/// What $dateDiff and $dateTrunc have in common: the unit, and for weeks the day that they begin with.
struct UnitArguments {
  TimeUnit unit;
  int first_weekday = 0;
};
Result<UnitArguments> unit_arguments(std::string_view op, bson::Value unit, bson::Value first_weekday);
Result<TimeZone> zone_argument(std::string_view op, bson::Value zone);

}  // namespace partita::query
