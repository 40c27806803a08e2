// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// The calendar, for all of the 584 million years that a date may lie in: what the standard library counts years in is too
/// small.
namespace partita::query {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kMsPerMinute = 60 * kMsPerSecond;
constexpr std::int64_t kMsPerHour = 60 * kMsPerMinute;
constexpr std::int64_t kMsPerDay = 24 * kMsPerHour;

/// Rounds down, also below zero.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// What a clock shows, counted from 1970-01-01T00:00:00.000 on that clock. The first and the last dates are behind the ends
/// of what 64 bits of milliseconds hold where clocks differ from UTC: so it is days, and what of the day has passed.
struct LocalTime {
  static constexpr LocalTime of(std::int64_t days, std::int64_t ms) {
    return {days + floor_divide(ms, kMsPerDay), floor_modulo(ms, kMsPerDay)};
  }
  std::int64_t days = 0;
  std::int64_t ms_of_day = 0;
};

struct CivilTime {
  std::int64_t year = 1970;
  int month = 1;  ///< 1 to 12.
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
  std::int64_t days = 0;  ///< Since 1970-01-01.

  int weekday() const { return static_cast<int>(floor_modulo(days + 4, 7)); }  ///< 0 is Sunday.
  int day_of_year() const;                                                     ///< From 1.
  int week() const { return (day_of_year() + 6 - weekday()) / 7; }             ///< Weeks begin on Sundays; 0 before the first.
};

struct IsoWeek {
  std::int64_t year;
  int week;
  int weekday;  ///< 1 is Monday, 7 Sunday.
};

/// Days since 1970-01-01; month and day may lie outside of the year and of the month.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day);
std::int64_t days_of_iso_week(std::int64_t year, std::int64_t week, std::int64_t weekday);
int days_in_month(std::int64_t year, int month);

CivilTime civil_time(LocalTime local);
IsoWeek iso_week(const CivilTime& time);

}  // namespace partita::query
