// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/time_zone.h"

#include <unicode/basictz.h>
#include <unicode/strenum.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "query/expressions/civil_time.h"

namespace partita::query {
namespace {

/// Names that ICU has besides those of the database: three letters of its own, and what stands for no zone.
bool is_database_name(const std::string& name) {
  constexpr std::string_view kShort[] = {"CET", "EET", "EST", "GMT", "HST", "MET", "MST", "PRC", "ROC", "ROK", "UCT", "UTC", "WET"};
  if (name.size() == 3) return std::find(std::begin(kShort), std::end(kShort), name) != std::end(kShort);
  return !name.starts_with("SystemV/") && name != "Etc/Unknown";
}

/// All zones by name. One that is asked for is loaded then, and stays.
class ZoneTable {
 public:
  static ZoneTable& instance() {
    static ZoneTable table;
    return table;
  }

  const icu::BasicTimeZone* find(std::string_view name) {
    const auto found = std::lower_bound(zones_.begin(), zones_.end(), name, [](const Zone& zone, std::string_view wanted) { return zone.name < wanted; });
    if (found == zones_.end() || found->name != name) return nullptr;
    const icu::BasicTimeZone* loaded = found->loaded.load(std::memory_order_acquire);
    return loaded != nullptr ? loaded : load(*found);
  }

 private:
  struct Zone {
    explicit Zone(std::string given) : name(std::move(given)) {}
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;
    ~Zone() { delete loaded.load(std::memory_order_acquire); }
    std::string name;
    std::atomic<const icu::BasicTimeZone*> loaded{nullptr};
  };

  ZoneTable() {
    UErrorCode problem = U_ZERO_ERROR;
    const std::unique_ptr<icu::StringEnumeration> names(
        icu::TimeZone::createTimeZoneIDEnumeration(UCAL_ZONE_TYPE_ANY, nullptr, nullptr, problem));
    std::vector<std::string> sorted;
    while (U_SUCCESS(problem) && names != nullptr) {
      const char* name = names->next(nullptr, problem);
      if (name == nullptr) break;
      if (is_database_name(name)) sorted.emplace_back(name);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::string& name : sorted) zones_.emplace_back(std::move(name));
  }

  static const icu::BasicTimeZone* load(Zone& zone) {
    std::unique_ptr<icu::TimeZone> made(icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(zone.name)));
    const auto* basic = dynamic_cast<const icu::BasicTimeZone*>(made.get());
    const icu::BasicTimeZone* before = nullptr;
    if (basic == nullptr || !zone.loaded.compare_exchange_strong(before, basic, std::memory_order_acq_rel)) return before;
    (void)made.release();  // The table's now.
    return basic;
  }

  std::deque<Zone> zones_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
int two_digits(std::string_view text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

/// +hh, +hhmm or +hh:mm, whatever these numbers are.
std::optional<std::int64_t> parse_offset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  std::string digits;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (i == 3 && text[i] == ':' && text.size() == 6) continue;
    if (!is_digit(text[i])) return std::nullopt;
    digits += text[i];
  }
  if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
  const std::int64_t minutes = two_digits(digits) * 60 + (digits.size() == 4 ? two_digits(std::string_view(digits).substr(2)) : 0);
  return (text[0] == '-' ? -minutes : minutes) * kMsPerMinute;
}

const icu::BasicTimeZone& zone_of(const void* zone) { return *static_cast<const icu::BasicTimeZone*>(zone); }

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) {
  if (name == "UTC" || name == "GMT") return utc();
  if (const auto offset = parse_offset(name)) return of_offset(*offset);
  TimeZone made;
  made.zone_ = ZoneTable::instance().find(name);
  if (made.zone_ == nullptr) return error(Code{40485}, "unrecognized time zone identifier: \"", name, "\"");
  return made;
}

Result<TimeZone> TimeZone::of(bson::Value value) {
  if (!value.is_string()) return error(Code{40517}, "timezone must evaluate to a string, found ", value.type_name());
  return find(value.as_string());
}

std::int64_t TimeZone::offset_in_zone(std::int64_t utc_ms) const {
  std::int32_t raw = 0;
  std::int32_t saving = 0;
  UErrorCode problem = U_ZERO_ERROR;
  zone_of(zone_).getOffset(static_cast<UDate>(utc_ms), false, raw, saving, problem);
  return raw + saving;
}

std::optional<std::int64_t> TimeZone::to_utc(LocalTime local) const {
  std::int64_t offset = offset_ms_;
  if (zone_ != nullptr) {
    std::int32_t raw = 0;
    std::int32_t saving = 0;
    UErrorCode problem = U_ZERO_ERROR;
    const UDate date = static_cast<UDate>(local.days) * kMsPerDay + static_cast<UDate>(local.ms_of_day);
    zone_of(zone_).getOffsetFromLocal(date, UCAL_TZ_LOCAL_FORMER, UCAL_TZ_LOCAL_LATTER, raw, saving, problem);
    offset = raw + saving;
  }
  __extension__ using Wide = __int128;
  const Wide ms = Wide{local.days} * kMsPerDay + local.ms_of_day - offset;
  if (ms < INT64_MIN || ms > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(ms);
}

}  // namespace partita::query
