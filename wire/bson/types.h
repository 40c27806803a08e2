// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace partita::bson {

/// The type byte of a BSON element.
enum class Type : std::uint8_t {
  kEnd = 0x00,  ///< No value at all: what a missing field looks like to code that needs a Value for it.
  kDouble = 0x01,
  kString = 0x02,
  kDocument = 0x03,
  kArray = 0x04,
  kBinary = 0x05,
  kUndefined = 0x06,
  kObjectId = 0x07,
  kBool = 0x08,
  kDate = 0x09,
  kNull = 0x0A,
  kRegex = 0x0B,
  kDBPointer = 0x0C,
  kCode = 0x0D,
  kSymbol = 0x0E,
  kCodeWithScope = 0x0F,
  kInt32 = 0x10,
  kTimestamp = 0x11,
  kInt64 = 0x12,
  kDecimal128 = 0x13,
  kMinKey = 0xFF,
  kMaxKey = 0x7F,
};

/// MongoDB's name of a type as error texts and $type use it: "string", "object", "int", "missing" for kEnd.
std::string_view type_name(Type type);

/// Where values of different types stand to one another when they are compared. Types of one class compare by value.
/// The numbers reach the disk inside encoded keys: they never change.
enum class TypeClass : std::uint8_t {
  kMinKey = 0x04,
  kUndefined = 0x08,  ///< Also an empty array inside an index key.
  kNull = 0x0C,
  kNumber = 0x10,
  kString = 0x20,  ///< Symbols too.
  kDocument = 0x28,
  kArray = 0x2C,
  kBinary = 0x30,
  kObjectId = 0x34,
  kBool = 0x38,
  kDate = 0x3C,
  kTimestamp = 0x40,
  kRegex = 0x44,
  kDBPointer = 0x48,
  kCode = 0x4C,
  kCodeWithScope = 0x50,
  kMaxKey = 0xF0,
};

TypeClass type_class(Type type);

struct ObjectId {
  std::array<std::uint8_t, 12> bytes;
  auto operator<=>(const ObjectId&) const = default;
};

/// Seconds and an ordinal within the second: what MongoDB keeps of a clock.
struct Timestamp {
  std::uint32_t seconds = 0;
  std::uint32_t increment = 0;
  static Timestamp from_bits(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)};
  }
  std::uint64_t bits() const { return std::uint64_t{seconds} << 32 | increment; }
  auto operator<=>(const Timestamp&) const = default;
};

struct Date {
  std::int64_t ms_since_epoch = 0;
  auto operator<=>(const Date&) const = default;
};

/// IEEE 754-2008 decimal in binary integer encoding, low half first as on the wire.
struct Decimal128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Decimal128&) const = default;  ///< Same bits, not same number: see compare.h for that.
};

struct Binary {
  std::uint8_t subtype;
  std::string_view bytes;
};

struct Regex {
  std::string_view pattern;
  std::string_view options;
};

}  // namespace partita::bson
