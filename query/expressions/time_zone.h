// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include <optional>

#include "query/expressions/civil_time.h"
#include "wire/bson/value.h"

namespace partita::query {

/// A zone of the Olson database, or a fixed offset from UTC. A value of two words: what is known of a zone is read once,
/// stays, and is shared by all threads.
///
/// The zones are ICU's: the standard library of GCC 12 has none, and ICU brings its data as a library, so that no file is
/// looked for at run time, tells what a local time means that does not exist or that exists twice, and lets any number of
/// threads ask one zone. It is kept up by Debian.
class TimeZone {
 public:
  static TimeZone utc() { return TimeZone(); }
  static TimeZone of_offset(std::int64_t ms) {
    TimeZone made;
    made.offset_ms_ = ms;
    return made;
  }
  /// "America/New_York", "UTC", "+05:30", "+0530", "-03".
  static Result<TimeZone> find(std::string_view name);
  /// What an operator's `timezone` gives, which is neither null nor missing.
  static Result<TimeZone> of(bson::Value value);

  /// From UTC, at this moment.
  std::int64_t offset_at(std::int64_t utc_ms) const { return zone_ == nullptr ? offset_ms_ : offset_in_zone(utc_ms); }
  LocalTime to_local(std::int64_t utc_ms) const {
    return LocalTime::of(floor_divide(utc_ms, kMsPerDay), floor_modulo(utc_ms, kMsPerDay) + offset_at(utc_ms));
  }
  /// A time that a clock skipped is taken as if it had not been put forward; of one that it showed twice the second is meant.
  /// Nothing where no date can tell that time.
  std::optional<std::int64_t> to_utc(LocalTime local) const;
  bool is_fixed() const { return zone_ == nullptr; }

 private:
  std::int64_t offset_in_zone(std::int64_t utc_ms) const;

  const void* zone_ = nullptr;  // An icu::BasicTimeZone; its header stays where it is needed.
  std::int64_t offset_ms_ = 0;
};

}  // namespace partita::query
