// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/conversions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "query/expressions/computed_values.h"
#include "query/expressions/date_text.h"
#include "query/expressions/date_values.h"
#include "query/expressions/text_values.h"
#include "query/numbers.h"
#include "wire/bson/decimal_math.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

constexpr std::string_view kNoOnError = " in $convert with no onError value";

template <class... Parts>
Status failure(const Parts&... parts) {
  return error(Code::ConversionFailure, parts...);
}

Status unsupported(Value value, Type to) {
  return failure("Unsupported conversion from ", value.type_name(), " to ", bson::type_name(to), kNoOnError);
}
Status overflow(Value value) {
  return failure("Conversion would overflow target type", kNoOnError, ": ", bson::to_shell(value));
}
Status not_parsed(std::string_view text, std::string_view why) {
  return failure("Failed to parse number '", text, "'", kNoOnError, ": ", why);
}

/// A double or a decimal cut off to a whole number.
Result<std::int64_t> cut_off(Value value) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const bool decimal = value.is(Type::kDecimal128);
  const double real = *value.to_double();
  if (std::isnan(real)) return failure("Attempt to convert NaN value to integer type", kNoOnError);
  if (decimal ? bson::decimal_is_infinite(value.as_decimal()) : std::isinf(real))
    return failure("Attempt to convert infinity value to integer type", kNoOnError);
  if (decimal) {
    const auto whole = bson::decimal_to_int64(value.as_decimal(), bson::Rounding::kTowardZero);
    return whole ? Result<std::int64_t>(*whole) : overflow(value);
  }
  if (real < -kTwoTo63 || real >= kTwoTo63) return overflow(value);
  return static_cast<std::int64_t>(real);
}

/// Digits with a sign, and nothing else.
Result<std::int64_t> parse_whole(std::string_view text) {
  if (text.starts_with("0x")) return failure("Illegal hexadecimal input", kNoOnError, ": ", text);
  if (text.empty()) return not_parsed(text, "No digits");
  const std::string_view digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  std::int64_t whole = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (problem == std::errc::result_out_of_range) return not_parsed(text, "Overflow");
  if (problem != std::errc() || end != digits.data() + digits.size()) return not_parsed(text, "Did not consume whole string.");
  return whole;
}

Result<double> parse_real(std::string_view text) {
  if (text.starts_with("0x")) return failure("Illegal hexadecimal input", kNoOnError, ": ", text);
  if (text.empty()) return not_parsed(text, "Empty string");
  const std::string_view number = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  double real = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), real);
  if (problem == std::errc::result_out_of_range) return not_parsed(text, "Out of range");
  if (problem != std::errc()) return not_parsed(text, "Did not consume any digits");
  if (end != number.data() + number.size()) return not_parsed(text, "Did not consume whole string.");
  return real;
}

Result<std::int64_t> to_whole(Value value, Type to) {
  switch (value.type()) {
    case Type::kInt32:
    case Type::kInt64:
      return value.as_int64();
    case Type::kBool:
      return value.as_bool() ? 1 : 0;
    case Type::kDouble:
    case Type::kDecimal128:
      return cut_off(value);
    case Type::kString:
      return parse_whole(value.as_string());
    case Type::kDate:
      if (to == Type::kInt64) return value.as_date().ms_since_epoch;
      return unsupported(value, to);
    default:
      return unsupported(value, to);
  }
}

Result<Value> to_int(Value value) {
  TRY(const std::int64_t whole, to_whole(value, Type::kInt32));
  if (whole == static_cast<std::int32_t>(whole)) return Value::of(static_cast<std::int32_t>(whole));
  if (value.is_string()) return not_parsed(value.as_string(), "Overflow");
  return overflow(value);
}

Result<Value> to_double(Value value) {
  switch (value.type()) {
    case Type::kBool:
      return Value::of(value.as_bool() ? 1.0 : 0.0);
    case Type::kDate:
      return Value::of(static_cast<double>(value.as_date().ms_since_epoch));
    case Type::kString: {
      TRY(const double real, parse_real(value.as_string()));
      return Value::of(real);
    }
    case Type::kDecimal128: {
      const double real = *value.to_double();
      const bool fits = !std::isinf(real) || bson::decimal_is_infinite(value.as_decimal());
      const bool vanishes = real == 0 && !bson::decimal_is_zero(value.as_decimal());
      return fits && !vanishes ? Result(Value::of(real)) : overflow(value);
    }
    default:
      if (!value.is_number()) return unsupported(value, Type::kDouble);
      return Value::of(*value.to_double());
  }
}

Result<Value> to_decimal(Value value, Arena& arena) {
  switch (value.type()) {
    case Type::kBool:
      return arena.decimal(bson::decimal_from_int64(value.as_bool() ? 1 : 0));
    case Type::kDate:
      return arena.decimal(bson::decimal_from_int64(value.as_date().ms_since_epoch));
    case Type::kString: {
      const std::string_view text = value.as_string();
      if (text.starts_with("0x")) return failure("Illegal hexadecimal input", kNoOnError, ": ", text);
      if (text.empty()) return not_parsed(text, "Empty string");
      const auto decimal = bson::decimal_from_string(text);
      return decimal ? Result(arena.decimal(*decimal)) : not_parsed(text, "Failed to parse string to decimal");
    }
    default:
      if (!value.is_number()) return unsupported(value, Type::kDecimal128);
      return arena.decimal(Number::of(value).to_decimal());
  }
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<std::uint8_t>(byte) >> 4];
    text += kDigits[static_cast<std::uint8_t>(byte) & 15];
  }
  return text;
}

Result<Value> to_text(Value value, Arena& arena) {
  switch (value.type()) {
    case Type::kString:
      return value;
    case Type::kBool:
      return make_string(value.as_bool() ? "true" : "false", arena);
    case Type::kDouble: {
      const double real = value.as_double();
      if (std::isnan(real)) return make_string("NaN", arena);
      if (std::isinf(real)) return make_string(real > 0 ? "Infinity" : "-Infinity", arena);
      return make_string(double_text(real), arena);
    }
    case Type::kObjectId: {
      const bson::ObjectId id = value.as_object_id();
      return make_string(hex({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}), arena);
    }
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDecimal128:
    case Type::kDate: {
      TRY(const std::string_view text, text_of(value, arena));
      return make_string(text, arena);
    }
    default:
      return unsupported(value, Type::kString);
  }
}

Result<Value> to_date(Value value) {
  if (const auto date = as_date(value)) return Value::of(*date);
  switch (value.type()) {
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128: {
      TRY(const std::int64_t ms, to_whole(value, Type::kInt64));
      return Value::of(bson::Date{ms});
    }
    case Type::kString: {
      TRY(const bson::Date date, parse_date_text(value.as_string(), nullptr));
      return Value::of(date);
    }
    default:
      return unsupported(value, Type::kDate);
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Two digits for each of `count` bytes.
bool read_hex(std::string_view text, std::uint8_t* to, std::size_t count) {
  std::size_t digits = 0;
  for (const char c : text) {
    const int digit = hex_digit(c);
    if (digit < 0 || digits == 2 * count) return false;
    to[digits / 2] = static_cast<std::uint8_t>(digits % 2 == 0 ? digit << 4 : to[digits / 2] | digit);
    ++digits;
  }
  return digits == 2 * count;
}

Result<Value> to_object_id(Value value, Arena& arena) {
  constexpr std::size_t kBytes = 12;
  if (value.is(Type::kObjectId)) return value;
  if (!value.is_string()) return unsupported(value, Type::kObjectId);
  const std::string_view text = value.as_string();
  std::uint8_t* const bytes = arena.allocate(kBytes, 1);
  if (read_hex(text, bytes, kBytes)) return Value::of_payload(Type::kObjectId, bytes, kBytes);
  if (text.size() == 2 * kBytes)
    return failure("Failed to parse objectId '", text, "'", kNoOnError, ": Invalid character found in hex string");
  return failure("Failed to parse objectId '", text, "'", kNoOnError, ": Invalid string length for parsing to OID, expected 24 but found ",
                 text.size());
}

bool has_form_of_uuid(std::string_view text) {
  constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(),
                    [](char c, char form) { return form == '-' ? c == '-' : hex_digit(c) >= 0; });
}

}  // namespace

Result<Value> convert_to_uuid(Value value, Arena& arena) {
  constexpr std::uint8_t kUuid = 4;
  constexpr std::uint32_t kBytes = 16;
  constexpr std::uint32_t kHead = 5;  // Length and subtype.
  if (!value.is_string()) return unsupported(value, Type::kBinary);
  std::string text(value.as_string());
  if (!has_form_of_uuid(text)) return failure("Failed to parse UUID '", text, "'", kNoOnError, ": Invalid UUID string: ", text);
  std::erase(text, '-');
  std::uint8_t* const payload = arena.allocate(kHead + kBytes, 1);
  bson::store(payload, kBytes);
  payload[kHead - 1] = kUuid;
  read_hex(text, payload + kHead, kBytes);
  return Value::of_payload(Type::kBinary, payload, kHead + kBytes);
}

Result<Value> convert_value(Value value, Type to, Arena& arena) {
  switch (to) {
    case Type::kInt32:
      return to_int(value);
    case Type::kInt64: {
      TRY(const std::int64_t whole, to_whole(value, to));
      return Value::of(whole);
    }
    case Type::kDouble:
      return to_double(value);
    case Type::kDecimal128:
      return to_decimal(value, arena);
    case Type::kString:
      return to_text(value, arena);
    case Type::kBool:
      return Value::of(value.truthy());
    case Type::kDate:
      return to_date(value);
    case Type::kObjectId:
      return to_object_id(value, arena);
    default:
      return unsupported(value, to);
  }
}

}  // namespace partita::query
