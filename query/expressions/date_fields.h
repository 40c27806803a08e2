// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "query/expressions/date_text.h"

namespace partita::query {

/// What has been read of a date so far, and the date that it makes.
struct DateFields {
  std::optional<std::int64_t> year;
  std::optional<int> month, day;
  std::optional<std::int64_t> iso_year;
  std::optional<int> iso_week, iso_weekday;
  std::optional<int> hour, minute, second, millisecond;
  std::optional<std::int64_t> offset_ms;  ///< What the text says of a zone.
  bool offset_is_named = false;           ///< By letters.

  /// Everything is there and in its range; `text` is for the complaint.
  Result<bson::Date> make(std::string_view text, const TimeZone* zone) const;
};

/// Takes pieces from the front of a text.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : left_(text), all_(text) {}

  bool at_end() const { return left_.empty(); }
  std::string_view left() const { return left_; }
  std::size_t position() const { return all_.size() - left_.size(); }
  char peek() const { return left_.empty() ? '\0' : left_.front(); }
  bool take(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }
  void skip(std::size_t count) { left_.remove_prefix(count); }
  /// How many digits stand here.
  std::size_t digits() const { return std::min(left_.find_first_not_of("0123456789"), left_.size()); }
  /// At most so many digits; nullopt if there are none.
  std::optional<std::int64_t> number(std::size_t most_digits);
  std::string_view word();  ///< Letters.
  /// +05, +0530, +05:30, Z and the like.
  bool take_offset(DateFields& fields);

 private:
  std::string_view left_;
  std::string_view all_;
};

/// The number of a month or weekday by its name or the beginning of it; 0 if it is none.
int month_of_name(std::string_view name);
bool is_weekday_name(std::string_view name);

}  // namespace partita::query
