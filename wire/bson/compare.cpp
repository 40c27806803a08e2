// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/compare.h"

#include <bitset>
#include <cmath>

#include "wire/bson/decimal.h"
#include "wire/bson/nesting.h"
#include "wire/bson/parts.h"

// Two documents are walked in lockstep without a stack: as long as all fields compare equal both sides open and close
// their nested documents together, and a zero type byte always closes the innermost one. So all there is to remember is
// how many levels are open, and of each whether it is an array: the names of elements do not count there.

namespace partita::bson {
namespace {

using Order = std::weak_ordering;

Order order_of_sign(int sign) { return sign <=> 0; }

Order compare_doubles(double a, double b) {
  if (a < b) return Order::less;
  if (a > b) return Order::greater;
  return std::isnan(b) <=> std::isnan(a);
}

Order compare_whole_to_double(std::int64_t a, double b) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::isnan(b) || b < -kTwoTo63) return Order::greater;
  if (b >= kTwoTo63) return Order::less;
  const double whole = std::trunc(b);
  const auto b_whole = static_cast<std::int64_t>(whole);
  return a != b_whole ? Order(a <=> b_whole) : compare_doubles(whole, b);
}

Order reversed(Order order) { return 0 <=> order; }

Order compare_with_decimal(Decimal128 a, Value b) {
  switch (b.type()) {
    case Type::kDecimal128:
      return decimal_compare(a, b.as_decimal());
    case Type::kDouble:
      return decimal_compare(a, b.as_double());
    default:
      return decimal_compare(a, decimal_from_int64(b.as_int64()));
  }
}

Order compare_binary(Value a, Value b) {
  if (a.payload_size() != b.payload_size()) return a.payload_size() <=> b.payload_size();
  // Subtype and bytes; subtype 2 counts its inner length among the bytes, as MongoDB does.
  std::array<std::uint8_t, 8> unused;
  return order_of_sign(std::memcmp(a.payload(unused) + 4, b.payload(unused) + 4, a.payload_size() - 4));
}

Order compare_db_pointers(Value a, Value b) {
  if (a.payload_size() != b.payload_size()) return a.payload_size() <=> b.payload_size();
  std::array<std::uint8_t, 8> unused;
  return order_of_sign(std::memcmp(a.payload(unused), b.payload(unused), a.payload_size()));
}

Order compare_regexes(Regex a, Regex b) {
  const Order patterns = a.pattern <=> b.pattern;
  return patterns != 0 ? patterns : Order(a.options <=> b.options);
}

/// Values of one class that hold no documents.
Order compare_flat(TypeClass type_class, Value a, Value b, const TextOrder* texts) {
  switch (type_class) {
    case TypeClass::kNumber:
      return compare_numbers(a, b);
    case TypeClass::kString:
      return texts == nullptr ? Order(a.as_string() <=> b.as_string()) : texts->compare(a.as_string(), b.as_string());
    case TypeClass::kCode:
      return a.as_string() <=> b.as_string();
    case TypeClass::kObjectId:
      return a.as_object_id() <=> b.as_object_id();
    case TypeClass::kBool:
      return a.as_bool() <=> b.as_bool();
    case TypeClass::kDate:
      return a.as_date() <=> b.as_date();
    case TypeClass::kTimestamp:
      return a.as_timestamp() <=> b.as_timestamp();
    case TypeClass::kBinary:
      return compare_binary(a, b);
    case TypeClass::kRegex:
      return compare_regexes(a.as_regex(), b.as_regex());
    case TypeClass::kDBPointer:
      return compare_db_pointers(a, b);
    default:
      return Order::equivalent;  // Null, undefined and missing, MinKey, MaxKey: all there is to them is their class.
  }
}

bool holds_document(TypeClass type_class) {
  return type_class == TypeClass::kDocument || type_class == TypeClass::kArray || type_class == TypeClass::kCodeWithScope;
}

/// One side of the lockstep: an element and the way behind it.
struct Cursor {
  const std::uint8_t* at;

  Type type() const { return static_cast<Type>(*at); }
  const char* name() const { return reinterpret_cast<const char*>(at) + 1; }
  const std::uint8_t* payload() const { return at + 2 + std::strlen(name()); }
  void enter(const std::uint8_t* document) { at = document + 4; }
};

Order compare_fields(View a, View b, bool in_array, const TextOrder* texts) {
  std::bitset<kLevelsAtHand> arrays;
  arrays.set(0, in_array);
  Cursor left{a.data() + 4};
  Cursor right{b.data() + 4};
  std::size_t open = 1;
  while (true) {
    const Type left_type = left.type();
    const Type right_type = right.type();
    if (left_type == Type::kEnd || right_type == Type::kEnd) {
      if (left_type != right_type) return left_type == Type::kEnd ? Order::less : Order::greater;
      if (--open == 0) return Order::equivalent;
      ++left.at;
      ++right.at;
      continue;
    }
    const TypeClass common = type_class(left_type);
    if (const Order order = common <=> type_class(right_type); order != 0) return order;
    if (!arrays.test(open - 1)) {
      if (const Order order = order_of_sign(std::strcmp(left.name(), right.name())); order != 0) return order;
    }
    const std::uint8_t* left_payload = left.payload();
    const std::uint8_t* right_payload = right.payload();
    if (!holds_document(common)) {
      const Value left_value = Value::read(left_type, left_payload);
      const Value right_value = Value::read(right_type, right_payload);
      if (const Order order = compare_flat(common, left_value, right_value, texts); order != 0) return order;
      left.at = left_payload + left_value.payload_size();
      right.at = right_payload + right_value.payload_size();
      continue;
    }
    arrays.set(open++, common == TypeClass::kArray);
    if (common == TypeClass::kCodeWithScope) {
      const ScopedCode left_code(left_payload);
      const ScopedCode right_code(right_payload);
      if (const Order order = left_code.code <=> right_code.code; order != 0) return order;
      left_payload = left_code.scope.data();
      right_payload = right_code.scope.data();
    }
    left.enter(left_payload);
    right.enter(right_payload);
  }
}

}  // namespace

Order compare_numbers(Value a, Value b) {
  if (a.is(Type::kDecimal128)) return compare_with_decimal(a.as_decimal(), b);
  if (b.is(Type::kDecimal128)) return reversed(compare_with_decimal(b.as_decimal(), a));
  const bool a_real = a.is(Type::kDouble);
  const bool b_real = b.is(Type::kDouble);
  if (a_real && b_real) return compare_doubles(a.as_double(), b.as_double());
  if (a_real) return reversed(compare_whole_to_double(b.as_int64(), a.as_double()));
  if (b_real) return compare_whole_to_double(a.as_int64(), b.as_double());
  return a.as_int64() <=> b.as_int64();
}

Order compare(View a, View b, const TextOrder* texts) { return compare_fields(a, b, false, texts); }

Order compare(Value a, Value b, const TextOrder* texts) {
  const TypeClass common = type_class(a.type());
  if (const Order order = common <=> type_class(b.type()); order != 0) return order;
  if (!holds_document(common)) return compare_flat(common, a, b, texts);
  if (common != TypeClass::kCodeWithScope)
    return compare_fields(a.as_document(), b.as_document(), common == TypeClass::kArray, texts);
  const ScopedCode left(a);
  const ScopedCode right(b);
  if (const Order order = left.code <=> right.code; order != 0) return order;
  return compare(left.scope, right.scope, texts);
}

}  // namespace partita::bson
