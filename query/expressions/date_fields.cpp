// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/date_fields.h"

#include <algorithm>

#include "query/expressions/civil_time.h"

namespace partita::query {
namespace {

bool equals(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

bool names(std::string_view text, std::string_view full) { return equals(text, full) || equals(text, full.substr(0, 3)); }

struct Abbreviation {
  std::string_view name;
  int minutes;
};
/// Zones that people write behind a time. Not all that there are: many letters mean several zones.
constexpr Abbreviation kAbbreviations[] = {
    {"z", 0},       {"utc", 0},     {"gmt", 0},     {"wet", 0},     {"cet", 60},   {"cest", 120}, {"bst", 60},  {"west", 60},
    {"eet", 120},   {"eest", 180},  {"msk", 180},   {"est", -300},  {"edt", -240}, {"cst", -360}, {"cdt", -300}, {"mst", -420},
    {"mdt", -360},  {"pst", -480},  {"pdt", -420},  {"akst", -540}, {"akdt", -480}, {"hst", -600}, {"ast", -240}, {"adt", -180},
    {"jst", 540},   {"kst", 540},   {"ist", 330},   {"aest", 600},  {"aedt", 660}, {"awst", 480}, {"nzst", 720}, {"nzdt", 780},
};

Status problem(std::string_view text, std::string_view what) {
  return error(Code::ConversionFailure, "Error parsing date string '", text, "'; ", text.size() + 1, ": ", what, " ' '");
}

}  // namespace

int month_of_name(std::string_view name) {
  constexpr std::string_view kMonths[] = {"january", "february", "march", "april", "may", "june",
                                          "july", "august", "september", "october", "november", "december"};
  for (int i = 0; i < 12; ++i)
    if (names(name, kMonths[i])) return i + 1;
  return equals(name, "sept") ? 9 : 0;
}

bool is_weekday_name(std::string_view name) {
  constexpr std::string_view kDays[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  return std::any_of(std::begin(kDays), std::end(kDays), [&](std::string_view day) { return names(name, day); });
}

std::optional<std::int64_t> DateScanner::number(std::size_t most_digits) {
  const std::size_t count = std::min(digits(), most_digits);
  if (count == 0 || count > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : left_.substr(0, count)) value = value * 10 + (c - '0');
  left_.remove_prefix(count);
  return value;
}

std::string_view DateScanner::word() {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto end = std::find_if_not(left_.begin(), left_.end(), is_letter);
  const std::string_view letters(left_.begin(), end);
  left_.remove_prefix(letters.size());
  return letters;
}

bool DateScanner::take_offset(DateFields& fields) {
  const std::string_view before = left_;
  std::int64_t minutes = 0;
  const std::string_view letters = word();
  if (!letters.empty()) {
    const auto* const known = std::find_if(std::begin(kAbbreviations), std::end(kAbbreviations),
                                           [&](const Abbreviation& one) { return equals(letters, one.name); });
    if (known == std::end(kAbbreviations)) return left_ = before, false;
    minutes = known->minutes;
    fields.offset_is_named = true;
  }
  if (peek() == '+' || peek() == '-') {
    const int sign = peek() == '-' ? -1 : 1;
    skip(1);
    const std::size_t count = digits();
    std::optional<std::int64_t> hours = number(count <= 2 ? 2 : count == 3 ? 1 : 2);
    if (!hours || count > 4) return left_ = before, false;
    take(':');
    minutes += sign * (*hours * 60 + number(2).value_or(0));
  } else if (letters.empty()) {
    return false;
  }
  fields.offset_ms = minutes * kMsPerMinute;
  return true;
}

Result<bson::Date> DateFields::make(std::string_view text, const TimeZone* zone) const {
  std::int64_t days = 0;
  if (iso_year) {
    if (!iso_week)
      return error(Code::ConversionFailure, "an incomplete date/time string has been found, with elements missing: \"", text, "\"");
    days = days_of_iso_week(*iso_year, *iso_week, iso_weekday.value_or(1));
  } else {
    if (!year || !month || !day)
      return error(Code::ConversionFailure, "an incomplete date/time string has been found, with elements missing: \"", text, "\"");
    if (*month < 1 || *month > 12 || *day < 1 || *day > days_in_month(*year, *month))
      return problem(text, "The parsed date was invalid");
    days = days_of(*year, *month, *day);
  }
  if (hour.value_or(0) > 23 || minute.value_or(0) > 59 || second.value_or(0) > 59)
    return problem(text, "The parsed time was invalid");
  const std::int64_t of_day = hour.value_or(0) * kMsPerHour + minute.value_or(0) * kMsPerMinute +
                             second.value_or(0) * kMsPerSecond + millisecond.value_or(0);
  if (offset_ms && zone != nullptr)
    return error(Code::ConversionFailure, "you cannot pass in a date/time string with ",
                 offset_is_named ? "time zone information" : "GMT offset", " together with a timezone argument");
  const TimeZone in = offset_ms ? TimeZone::of_offset(*offset_ms) : zone == nullptr ? TimeZone::utc() : *zone;
  const auto made = in.to_utc(LocalTime::of(days, of_day));
  if (!made) return problem(text, "The parsed date was invalid");
  return bson::Date{*made};
}

}  // namespace partita::query
