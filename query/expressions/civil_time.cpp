// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/civil_time.h"

namespace partita::query {
namespace {

// Years that begin in March have their leap day at the end, and 400 of them are 146097 days: see Howard Hinnant,
// "chrono-Compatible Low-Level Date Algorithms".
constexpr std::int64_t kDaysIn400Years = 146097;
constexpr std::int64_t kDaysToEpoch = 719468;  // From 0000-03-01 to 1970-01-01.

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysIn400Years + day_of_era - kDaysToEpoch;
}

bool is_leap(std::int64_t year) { return floor_modulo(year, 4) == 0 && (floor_modulo(year, 100) != 0 || floor_modulo(year, 400) == 0); }

}  // namespace

int CivilTime::day_of_year() const { return static_cast<int>(days - days_from_civil(year, 1, 1)) + 1; }

int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t months = month - 1;
  return days_from_civil(year + floor_divide(months, 12), static_cast<int>(floor_modulo(months, 12)) + 1, 1) + day - 1;
}

std::int64_t days_of_iso_week(std::int64_t year, std::int64_t week, std::int64_t weekday) {
  const std::int64_t fourth = days_from_civil(year, 1, 4);  // Always in the first week.
  const std::int64_t monday = fourth - floor_modulo(fourth + 3, 7);
  return monday + (week - 1) * 7 + weekday - 1;
}

CivilTime civil_time(LocalTime local) {
  CivilTime time;
  time.days = local.days;
  std::int64_t rest = local.ms_of_day;
  time.hour = static_cast<int>(rest / kMsPerHour);
  rest %= kMsPerHour;
  time.minute = static_cast<int>(rest / kMsPerMinute);
  rest %= kMsPerMinute;
  time.second = static_cast<int>(rest / kMsPerSecond);
  time.millisecond = static_cast<int>(rest % kMsPerSecond);
  const std::int64_t shifted = time.days + kDaysToEpoch;
  const std::int64_t era = floor_divide(shifted, kDaysIn400Years);
  const std::int64_t day_of_era = shifted - era * kDaysIn400Years;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  time.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5) + 1;
  time.month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  time.year = year_of_era + era * 400 + (time.month <= 2 ? 1 : 0);
  return time;
}

/// A week belongs to the year of its Thursday.
IsoWeek iso_week(const CivilTime& time) {
  const int weekday = static_cast<int>(floor_modulo(time.days + 3, 7)) + 1;
  const std::int64_t thursday = time.days + 4 - weekday;
  const CivilTime of_thursday = civil_time(LocalTime{thursday, 0});
  return {of_thursday.year, (of_thursday.day_of_year() - 1) / 7 + 1, weekday};
}

}  // namespace partita::query
