// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/iso_date.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace partita::bson {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kYear0 = -62'167'219'200'000;
constexpr std::int64_t kYear10000 = 253'402'300'800'000;

/// Takes fixed pieces from the front of a text; after the first that is missing all later ones are too.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  bool take(char wanted) {
    if (!left_.starts_with(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { good_ = take(wanted) && good_; }
  int number(std::size_t digits) {
    if (left_.size() < digits) return fail();
    int value = 0;
    for (const char c : left_.substr(0, digits)) {
      if (c < '0' || c > '9') return fail();
      value = value * 10 + (c - '0');
    }
    left_.remove_prefix(digits);
    return value;
  }
  /// Digits of a fraction, as thousandths; what is finer is cut off.
  int thousandths() {
    const std::size_t digits = std::min(left_.find_first_not_of("0123456789"), left_.size());
    if (digits == 0) return fail();
    std::string padded(left_.substr(0, std::min<std::size_t>(digits, 3)));
    padded.resize(3, '0');
    left_.remove_prefix(digits);
    return Scanner(padded).number(3);
  }
  bool at_end() const { return left_.empty(); }
  bool good() const { return good_; }

 private:
  int fail() {
    good_ = false;
    return 0;
  }
  std::string_view left_;
  bool good_ = true;
};

std::optional<milliseconds> time_of_day(Scanner& text) {
  const int hour = text.number(2);
  text.expect(':');
  const int minute = text.number(2);
  const int second = text.take(':') ? text.number(2) : 0;
  const int millis = text.take('.') ? text.thousandths() : 0;
  if (!text.good() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) + milliseconds(millis);
}

std::optional<milliseconds> zone(Scanner& text) {
  if (text.at_end() || text.take('Z')) return milliseconds(0);
  const bool east = text.take('+');
  if (!east && !text.take('-')) return std::nullopt;
  const int hours = text.number(2);
  text.take(':');
  const int minutes = text.at_end() ? 0 : text.number(2);
  if (!text.good() || hours > 23 || minutes > 59) return std::nullopt;
  const milliseconds offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return east ? offset : -offset;
}

}  // namespace

bool has_iso_form(Date date) { return date.ms_since_epoch >= kYear0 && date.ms_since_epoch < kYear10000; }

std::string iso_date(Date date) {
  const auto when = std::chrono::sys_time<milliseconds>(milliseconds(date.ms_since_epoch));
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day ymd(day);
  const std::chrono::hh_mm_ss<milliseconds> time(when - day);
  char text[40];
  int size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(ymd.year()),
                           static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                           static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                           static_cast<int>(time.seconds().count()));
  const auto millis = static_cast<int>(time.subseconds().count());
  if (millis != 0) size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), ".%03d", millis);
  return std::string(text, static_cast<std::size_t>(size)) + 'Z';
}

std::optional<Date> parse_iso_date(std::string_view input) {
  Scanner text(input);
  const std::chrono::year year(text.number(4));
  text.expect('-');
  const std::chrono::month month(static_cast<unsigned>(text.number(2)));
  text.expect('-');
  const std::chrono::year_month_day ymd(year, month, std::chrono::day(static_cast<unsigned>(text.number(2))));
  if (!text.good() || !ymd.ok()) return std::nullopt;
  milliseconds since_midnight(0);
  if (text.take('T') || text.take(' ')) {
    const auto time = time_of_day(text);
    if (!time) return std::nullopt;
    since_midnight = *time;
  }
  const auto offset = zone(text);
  if (!offset || !text.at_end()) return std::nullopt;
  const auto when = std::chrono::sys_days(ymd).time_since_epoch() + since_midnight - *offset;
  return Date{std::chrono::duration_cast<milliseconds>(when).count()};
}

}  // namespace partita::bson
