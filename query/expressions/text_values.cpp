// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/text_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "wire/bson/decimal.h"
#include "wire/bson/iso_date.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

std::string_view kept(std::string_view text, Arena& arena) {
  const auto bytes = arena.copy({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "Jan  1 00:00:05:6"
std::string timestamp_text(bson::Timestamp time) {
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds when{std::chrono::seconds(time.seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day ymd(day);
  const std::chrono::hh_mm_ss clock(when - day);
  char text[48];
  const int size = std::snprintf(text, sizeof text, "%s %2u %02d:%02d:%02d:%u", kMonths[static_cast<unsigned>(ymd.month()) - 1],
                                 static_cast<unsigned>(ymd.day()), static_cast<int>(clock.hours().count()),
                                 static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()), time.increment);
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace

std::string double_text(double real) {
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%g", real);
  return std::string(text, static_cast<std::size_t>(size));
}

Result<std::string> date_text(bson::Date date) {
  if (!bson::has_iso_form(date))
    return error(Code{18537}, "Could not convert date to string: date component was outside the supported range of 0-9999");
  std::string text = bson::iso_date(date);
  if (text.size() == std::string_view("2020-01-01T00:00:00Z").size()) text.insert(text.size() - 1, ".000");
  return text;
}

Result<std::string_view> text_of(Value value, Arena& arena) {
  switch (value.type()) {
    case Type::kString:
    case Type::kSymbol:
    case Type::kCode:
      return value.as_string();
    case Type::kEnd:
    case Type::kNull:
    case Type::kUndefined:
      return std::string_view();
    case Type::kInt32:
    case Type::kInt64:
      return kept(std::to_string(value.as_int64()), arena);
    case Type::kDouble:
      return kept(double_text(value.as_double()), arena);
    case Type::kDecimal128:
      return kept(bson::decimal_to_string(value.as_decimal()), arena);
    case Type::kTimestamp:
      return kept(timestamp_text(value.as_timestamp()), arena);
    case Type::kDate: {
      TRY(const std::string text, date_text(value.as_date()));
      return kept(text, arena);
    }
    default:
      return error(Code{16007}, "can't convert from BSON type ", value.type_name(), " to String");
  }
}

std::size_t count_characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::size_t offset_of_character(std::string_view text, std::size_t number) {
  std::size_t at = 0;
  for (; number > 0 && at < text.size(); --number) at += character_size(text[at]);
  return std::min(at, text.size());
}

// What std::string_view has is quadratic where much of `wanted` is found again and again.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* const found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::optional<std::int32_t> exact_int32(Value value) {
  const auto whole = value.is_number() ? value.exact_int64() : std::nullopt;
  if (!whole || *whole != static_cast<std::int32_t>(*whole)) return std::nullopt;
  return static_cast<std::int32_t>(*whole);
}

}  // namespace partita::query
