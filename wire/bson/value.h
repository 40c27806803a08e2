// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>

#include "wire/bson/payload.h"
#include "wire/error/status.h"

namespace partita::bson {

class View;

/// One BSON value in sixteen bytes: scalars are held here, everything longer is pointed at.
/// The bytes pointed at belong to somebody else and must have passed validate(); what a Value points into must outlive
/// it. Reading is safe from any thread. Nothing here allocates. The accessors `as_x` assert the type; ask `is_x` first.
class Value {
 public:
  /// No value: what a missing field gives.
  constexpr Value() = default;

  static Value of(double v) { return scalar(Type::kDouble, v); }
  static Value of(std::int32_t v) { return scalar(Type::kInt32, v); }
  static Value of(std::int64_t v) { return scalar(Type::kInt64, v); }
  static Value of(bool v) { return scalar(Type::kBool, v); }
  static Value of(Date v) { return scalar(Type::kDate, v.ms_since_epoch); }
  static Value of(Timestamp v) { return scalar(Type::kTimestamp, v.bits()); }
  static Value null() { return Value(Type::kNull); }
  static Value undefined() { return Value(Type::kUndefined); }
  static Value min_key() { return Value(Type::kMinKey); }
  static Value max_key() { return Value(Type::kMaxKey); }
  /// The payload must already be laid out as on the wire (a string with its length prefix and final zero...), `size`
  /// bytes of it.
  static Value of_payload(Type type, const std::uint8_t* payload, std::uint32_t size) {
    Value value(type);
    value.size_ = size;
    value.bits_.pointer = payload;
    return value;
  }
  static Value of(View document);
  static Value of_array(View array);
  /// Reads the value of `type` whose payload begins at `payload`, in bytes that have been validated.
  static Value read(Type type, const std::uint8_t* payload);

  Type type() const { return type_; }
  std::string_view type_name() const { return bson::type_name(type_); }
  explicit operator bool() const = delete;  ///< Neither "present" nor "truthy": say which.
  bool missing() const { return type_ == Type::kEnd; }
  bool is(Type type) const { return type_ == type; }
  bool is_string() const { return type_ == Type::kString; }
  bool is_document() const { return type_ == Type::kDocument; }
  bool is_array() const { return type_ == Type::kArray; }
  bool is_bool() const { return type_ == Type::kBool; }
  bool is_null() const { return type_ == Type::kNull; }
  bool is_number() const {
    return type_ == Type::kInt32 || type_ == Type::kInt64 || type_ == Type::kDouble || type_ == Type::kDecimal128;
  }
  bool is_nullish() const { return missing() || is_null() || type_ == Type::kUndefined; }

  double as_double() const { return bits_.real; }
  std::int32_t as_int32() const { return static_cast<std::int32_t>(bits_.whole); }
  std::int64_t as_int64() const { return bits_.whole; }
  bool as_bool() const { return bits_.whole != 0; }
  Date as_date() const { return {bits_.whole}; }
  Timestamp as_timestamp() const { return Timestamp::from_bits(static_cast<std::uint64_t>(bits_.whole)); }
  /// Strings, symbols and code: without the final zero, which is there all the same.
  std::string_view as_string() const {
    return {reinterpret_cast<const char*>(bits_.pointer) + 4, static_cast<std::size_t>(size_ - 5)};
  }
  View as_document() const;  ///< Documents and arrays.
  ObjectId as_object_id() const;
  Decimal128 as_decimal() const;
  Binary as_binary() const;  ///< Subtype 2's inner length is skipped.
  Regex as_regex() const;

  /// The number as a 64-bit integer if it is one without loss (5, 5.0, Decimal 5); otherwise nullopt.
  std::optional<std::int64_t> exact_int64() const;
  /// Any number as a double, rounded if need be; nullopt when it is no number.
  std::optional<double> to_double() const;
  /// MongoDB's truth: false for false, zero, null, undefined and missing; true for all else.
  bool truthy() const;

  /// How many bytes the payload takes on the wire, and those bytes themselves. Scalars are laid out into `scratch`.
  std::uint32_t payload_size() const;
  const std::uint8_t* payload(std::array<std::uint8_t, 8>& scratch) const;
  /// The same type and the same payload, byte for byte: stricter than comparing equal. Two missing values are the same.
  bool same_bytes(Value other) const;

 private:
  constexpr explicit Value(Type type) : type_(type) {}
  template <class T>
  static Value scalar(Type type, T v) {
    Value value(type);
    if constexpr (std::is_floating_point_v<T>) {
      value.bits_.real = v;
    } else {
      value.bits_.whole = static_cast<std::int64_t>(v);
    }
    return value;
  }

  union {
    std::int64_t whole;
    double real;
    const std::uint8_t* pointer;
  } bits_{0};
  std::uint32_t size_ = 0;
  Type type_ = Type::kEnd;
};

static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);

}  // namespace partita::bson
