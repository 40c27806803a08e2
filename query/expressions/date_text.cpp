// SPDX-License-Identifier: GPL-3.0-or-later
// Each piece of a text is told from what it begins with: digits, a letter, a sign. A date and a time may come in either
// order, and each once. The forms are those that mongod's library for dates reads most of the time; of those that are
// relative ("tomorrow", "last day of") mongod takes none.
#include "query/expressions/date_fields.h"
#include "query/expressions/civil_time.h"

namespace partita::query {
namespace {

class FreeFormParser {
 public:
  explicit FreeFormParser(std::string_view text) : text_(text), scan_(text) {}

  Result<bson::Date> run(const TimeZone* zone) {
    skip_blanks();
    if (scan_.at_end()) return unexpected("Empty string");
    if (scan_.take('@')) return seconds(zone);
    while (!scan_.at_end()) {
      if (!piece()) return unexpected("Unexpected character");
      skip_blanks();
    }
    return fields_.make(text_, zone);
  }

 private:
  Status unexpected(std::string_view what) const {
    return error(Code::ConversionFailure, "Error parsing date string '", text_, "'; ", scan_.position(), ": ", what, " '",
                 scan_.peek(), "'");
  }
  void skip_blanks() {
    while (scan_.peek() == ' ' || scan_.peek() == ',' || scan_.peek() == '\t') scan_.skip(1);
  }

  /// @ and seconds since 1970.
  Result<bson::Date> seconds(const TimeZone* zone) {
    const bool below = scan_.take('-');
    const auto count = scan_.number(12);
    if (!count || !scan_.at_end()) return unexpected("Unexpected character");
    if (zone != nullptr)
      return error(Code::ConversionFailure, "you cannot pass in a date/time string with GMT offset together with a timezone argument");
    return bson::Date{(below ? -*count : *count) * kMsPerSecond};
  }

  bool piece() {
    const char next = scan_.peek();
    if (next >= '0' && next <= '9') return digits();
    if (next == '-' && !fields_.year && scan_.position() == 0) return below_zero();
    if (next == 'T' || next == 't') {
      const DateScanner before = scan_;
      scan_.skip(1);
      if (scan_.digits() > 0) return time();
      scan_ = before;
    }
    if (next == '+' || next == '-') return offset();
    return letters();
  }

  bool below_zero() {
    scan_.skip(1);
    if (scan_.digits() != 4 || !digits() || !fields_.year) return false;
    fields_.year = -*fields_.year;
    return true;
  }

  bool offset() { return !fields_.offset_ms && scan_.take_offset(fields_); }

  /// A month or a weekday by name, or a zone.
  bool letters() {
    const DateScanner before = scan_;
    const std::string_view word = scan_.word();
    if (is_weekday_name(word)) return scan_.take('.'), true;
    if (const int month = month_of_name(word)) return !fields_.month && after_month(month);
    scan_ = before;
    return offset();
  }

  /// February 8, 2017; Feb 2017; Feb-08-2017. Where a time follows the day, the year stands behind it.
  bool after_month(int month) {
    fields_.month = month;
    while (scan_.peek() == ' ' || scan_.peek() == '.' || scan_.peek() == '-') scan_.skip(1);
    if (fields_.day) return true;
    if (scan_.digits() == 4) return year();
    const auto day = scan_.number(2);
    if (!day) return false;
    fields_.day = static_cast<int>(*day);
    skip_ordinal();
    while (scan_.peek() == ',' || scan_.peek() == ' ' || scan_.peek() == '-') scan_.skip(1);
    return scan_.digits() == 4 ? year() : true;
  }

  bool year() {
    if (fields_.year) return false;
    fields_.year = scan_.number(4);
    if (!fields_.day && fields_.month) fields_.day = 1;
    return true;
  }

  void skip_ordinal() {
    const DateScanner before = scan_;
    const std::string_view word = scan_.word();
    if (word != "st" && word != "nd" && word != "rd" && word != "th") scan_ = before;
  }

  bool digits() {
    const std::size_t count = scan_.digits();
    const char behind = scan_.left().size() > count ? scan_.left()[count] : '\0';
    if (count <= 2 && behind == ':') return time();
    if (count <= 2 && (behind == ' ' || behind == 'a' || behind == 'p' || behind == 'A' || behind == 'P') && fields_.year) return time();
    if (count == 4 && (behind == '-' || behind == '/')) return year_first(behind);
    if (count == 8) return year_month_day();
    if (count == 4 && fields_.month && !fields_.year) return year();
    if (count <= 2 && (behind == '/' || behind == '.' || behind == '-')) return year_last(behind);
    return count <= 2 && !fields_.day && day_first();
  }

  /// 2017-02-08, 2017-2, 2017/02/08, 2017-W06-3
  bool year_first(char separator) {
    if (fields_.year || fields_.iso_year) return false;
    const auto year = scan_.number(4);
    scan_.skip(1);
    if (scan_.take('W')) return iso_week(*year);
    const bool known = scan_.digits() <= 2;
    const auto month = scan_.number(2);
    if (!month || !known || *month > 12) return false;
    fields_.year = year;
    fields_.month = static_cast<int>(*month);
    fields_.day = 1;
    if (!scan_.take(separator)) return true;
    const auto day = scan_.number(2);
    if (day) fields_.day = static_cast<int>(*day);
    return day.has_value();
  }

  bool iso_week(std::int64_t year) {
    const auto week = scan_.number(2);
    if (!week) return false;
    fields_.iso_year = year;
    fields_.iso_week = static_cast<int>(*week);
    const bool has_day = scan_.take('-') || scan_.digits() == 1;
    const auto day = has_day ? scan_.number(1) : std::optional<std::int64_t>(1);
    if (day) fields_.iso_weekday = static_cast<int>(*day);
    return day.has_value();
  }

  bool year_month_day() {
    if (fields_.year) return false;
    fields_.year = scan_.number(4);
    fields_.month = static_cast<int>(*scan_.number(2));
    fields_.day = static_cast<int>(*scan_.number(2));
    return true;
  }

  /// 02/08/2017 is American, 08.02.2017 and 08-02-2017 are not; 8-Feb-2017.
  bool year_last(char separator) {
    if (fields_.year || fields_.day) return false;
    const auto first = scan_.number(2);
    scan_.skip(1);
    if (scan_.digits() == 0) {
      const int month = month_of_name(scan_.word());
      fields_.day = static_cast<int>(*first);
      fields_.month = month;
      return month != 0 && scan_.take(separator) && scan_.digits() == 4 && year();
    }
    const auto second = scan_.number(2);
    if (!second || !scan_.take(separator) || scan_.digits() != 4) return false;
    fields_.year = scan_.number(4);
    fields_.month = static_cast<int>(separator == '/' ? *first : *second);
    fields_.day = static_cast<int>(separator == '/' ? *second : *first);
    return true;
  }

  bool day_first() {
    fields_.day = static_cast<int>(*scan_.number(2));
    skip_ordinal();
    return true;
  }

  /// 12:10[:40[.787]] [am], 121040, 12
  bool time() {
    if (fields_.hour) return false;
    const bool packed = scan_.digits() == 6 || scan_.digits() == 4;
    fields_.hour = static_cast<int>(scan_.number(2).value_or(99));
    if (packed || scan_.take(':')) {
      const auto minute = scan_.number(2);
      if (!minute) return false;
      fields_.minute = static_cast<int>(*minute);
      if (scan_.digits() == 2 || scan_.take(':')) {
        const auto second = scan_.number(2);
        if (!second) return false;
        fields_.second = static_cast<int>(*second);
        if (scan_.peek() == '.' && !fraction()) return false;
      }
    }
    return half_of_day();
  }

  bool fraction() {
    scan_.skip(1);
    const std::size_t count = scan_.digits();
    if (count == 0) return false;
    std::int64_t value = *scan_.number(3);
    for (std::size_t i = count; i < 3; ++i) value *= 10;
    fields_.millisecond = static_cast<int>(value);
    scan_.skip(scan_.digits());
    return true;
  }

  bool half_of_day() {
    const DateScanner before = scan_;
    while (scan_.peek() == ' ') scan_.skip(1);
    const std::string_view word = scan_.word();
    const bool morning = word == "am" || word == "AM";
    if (!morning && word != "pm" && word != "PM") {
      scan_ = before;
      return true;
    }
    if (*fields_.hour < 1 || *fields_.hour > 12) return false;
    fields_.hour = *fields_.hour % 12 + (morning ? 0 : 12);
    return true;
  }

  std::string_view text_;
  DateScanner scan_;
  DateFields fields_;
};

class FormatParser {
 public:
  FormatParser(std::string_view text, std::string_view format) : text_(text), scan_(text), format_(format) {}

  Result<bson::Date> run(const TimeZone* zone) {
    for (std::size_t at = 0; at < format_.size(); ++at) {
      if (scan_.at_end()) return failed("Not enough data available to satisfy format");
      const bool literal = format_[at] != '%' || format_[at + 1] == '%';
      if (format_[at] == '%') ++at;
      if (literal ? !scan_.take(format_[at]) : !field(format_[at]))
        return failed(literal ? "Format literal not found" : "Unexpected data found.");
    }
    if (!scan_.at_end()) return failed("Trailing data");
    return fields_.make(text_, zone);
  }

 private:
  Status failed(std::string_view what) const {
    return error(Code::ConversionFailure, "Error parsing date string '", text_, "'; ", scan_.position(), ": ", what, " '",
                 scan_.at_end() ? ' ' : scan_.peek(), "'");
  }

  bool set(std::optional<int>& field, std::size_t most_digits) {
    const auto number = scan_.number(most_digits);
    if (number) field = static_cast<int>(*number);
    return number.has_value();
  }
  bool set(std::optional<std::int64_t>& field) {
    field = scan_.number(4);
    return field.has_value();
  }

  bool field(char letter) {
    switch (letter) {
      case 'Y':
        return set(fields_.year);
      case 'm':
        return set(fields_.month, 2);
      case 'd':
        return set(fields_.day, 2);
      case 'G':
        return set(fields_.iso_year);
      case 'V':
        return set(fields_.iso_week, 2);
      case 'u':
        return set(fields_.iso_weekday, 1);
      case 'H':
        return set(fields_.hour, 2);
      case 'M':
        return set(fields_.minute, 2);
      case 'S':
        return set(fields_.second, 2);
      case 'L':
        return fraction();
      case 'z':
        return scan_.take_offset(fields_);
      default:
        return minutes_of_offset();
    }
  }

  /// As behind a point: "4" are 400 milliseconds.
  bool fraction() {
    const std::size_t digits = scan_.digits();
    auto number = scan_.number(3);
    for (std::size_t i = digits; number && i < 3; ++i) *number *= 10;
    if (number) fields_.millisecond = static_cast<int>(*number);
    return number.has_value();
  }

  bool minutes_of_offset() {
    const bool west = scan_.take('-');
    if (!west && !scan_.take('+')) return false;
    const auto minutes = scan_.number(5);
    if (minutes) fields_.offset_ms = (west ? -*minutes : *minutes) * kMsPerMinute;
    return minutes.has_value();
  }

  std::string_view text_;
  DateScanner scan_;
  std::string_view format_;
  DateFields fields_;
};

}  // namespace

Result<bson::Date> parse_date_text(std::string_view text, const TimeZone* zone) { return FreeFormParser(text).run(zone); }

Result<bson::Date> parse_date_text(std::string_view text, std::string_view format, const TimeZone* zone) {
  return FormatParser(text, format).run(zone);
}

Status check_reading_format(std::string_view format) {
  constexpr std::string_view kLetters = "YmdGVuHMSLzZ%";
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at + 2)) {
    if (at + 1 == format.size()) return error(Code{18535}, "Unmatched '%' at end of format string");
    if (kLetters.find(format[at + 1]) == std::string_view::npos)
      return error(Code{18536}, "Invalid format character '%", format[at + 1], "' in format string");
  }
  return {};
}

}  // namespace partita::query
