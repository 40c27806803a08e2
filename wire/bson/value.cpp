// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/value.h"

#include <cmath>

#include "wire/bson/decimal.h"
#include "wire/bson/view.h"

namespace partita::bson {

std::uint32_t detail::regex_size(const std::uint8_t* payload) {
  const auto* text = reinterpret_cast<const char*>(payload);
  const std::size_t pattern = std::strlen(text) + 1;
  return static_cast<std::uint32_t>(pattern + std::strlen(text + pattern) + 1);
}

Value Value::read(Type type, const std::uint8_t* payload) {
  switch (type) {
    case Type::kDouble:
      return of(load<double>(payload));
    case Type::kInt32:
      return of(load<std::int32_t>(payload));
    case Type::kInt64:
      return of(load<std::int64_t>(payload));
    case Type::kBool:
      return of(*payload != 0);
    case Type::kDate:
      return of(Date{load<std::int64_t>(payload)});
    case Type::kTimestamp:
      return of(Timestamp::from_bits(load<std::uint64_t>(payload)));
    case Type::kEnd:
    case Type::kUndefined:
    case Type::kNull:
    case Type::kMinKey:
    case Type::kMaxKey:
      return Value(type);
    default:
      return of_payload(type, payload, bson::payload_size(type, payload));
  }
}

ObjectId Value::as_object_id() const {
  assert(type_ == Type::kObjectId);
  return load<ObjectId>(bits_.pointer);
}

Decimal128 Value::as_decimal() const {
  assert(type_ == Type::kDecimal128);
  return load<Decimal128>(bits_.pointer);
}

Binary Value::as_binary() const {
  assert(type_ == Type::kBinary);
  constexpr std::uint8_t kOldBinary = 2;  // Carries its length a second time inside.
  const std::uint8_t subtype = bits_.pointer[4];
  const std::uint32_t skip = subtype == kOldBinary ? 9 : 5;
  return {subtype, {reinterpret_cast<const char*>(bits_.pointer) + skip, static_cast<std::size_t>(size_ - skip)}};
}

Regex Value::as_regex() const {
  assert(type_ == Type::kRegex);
  const std::string_view pattern(reinterpret_cast<const char*>(bits_.pointer));
  return {pattern, std::string_view(pattern.data() + pattern.size() + 1)};
}

std::optional<std::int64_t> Value::exact_int64() const {
  switch (type_) {
    case Type::kInt32:
    case Type::kInt64:
      return bits_.whole;
    case Type::kDouble: {
      constexpr double kTwoTo63 = 9223372036854775808.0;
      const double real = bits_.real;
      if (!(real >= -kTwoTo63 && real < kTwoTo63) || real != std::trunc(real)) return std::nullopt;
      return static_cast<std::int64_t>(real);
    }
    case Type::kDecimal128:
      return decimal_to_int64_exact(as_decimal());
    default:
      return std::nullopt;
  }
}

std::optional<double> Value::to_double() const {
  switch (type_) {
    case Type::kInt32:
    case Type::kInt64:
      return static_cast<double>(bits_.whole);
    case Type::kDouble:
      return bits_.real;
    case Type::kDecimal128:
      return decimal_to_double(as_decimal());
    default:
      return std::nullopt;
  }
}

bool Value::truthy() const {
  switch (type_) {
    case Type::kEnd:
    case Type::kNull:
    case Type::kUndefined:
      return false;
    case Type::kBool:
    case Type::kInt32:
    case Type::kInt64:
      return bits_.whole != 0;
    case Type::kDouble:
      return bits_.real != 0;
    case Type::kDecimal128:
      return !decimal_is_zero(as_decimal());
    default:
      return true;
  }
}

std::uint32_t Value::payload_size() const {
  switch (type_) {
    case Type::kDouble:
    case Type::kInt64:
    case Type::kDate:
    case Type::kTimestamp:
      return 8;
    case Type::kInt32:
      return 4;
    case Type::kBool:
      return 1;
    default:
      return size_;
  }
}

bool Value::same_bytes(Value other) const {
  if (type_ != other.type_ || payload_size() != other.payload_size()) return false;
  std::array<std::uint8_t, 8> scratch;
  std::array<std::uint8_t, 8> other_scratch;
  const std::uint32_t size = payload_size();
  return size == 0 || std::memcmp(payload(scratch), other.payload(other_scratch), size) == 0;
}

const std::uint8_t* Value::payload(std::array<std::uint8_t, 8>& scratch) const {
  switch (type_) {
    case Type::kDouble:
    case Type::kInt64:
    case Type::kDate:
    case Type::kTimestamp:
    case Type::kInt32:
    case Type::kBool:
      store(scratch.data(), bits_.whole);  // Little endian: the shorter ones are its first bytes.
      return scratch.data();
    default:
      return bits_.pointer;
  }
}

}  // namespace partita::bson
