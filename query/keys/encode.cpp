// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/encode.h"

#include "query/collation/collator.h"
#include "query/keys/levels.h"
#include "query/keys/number.h"
#include "query/keys/text.h"

// A value is its lead byte, which orders the types, and a body, which orders the values of one type:
//
//   MinKey 04, undefined 08, null 0C, MaxKey F0     no body
//   number 10..1F    number.cpp tells
//   string 20        text, 00                       symbols too; 00 and 01 within the text are written 01 01 and 01 02
//   document 28      fields, 00                     field: type class, name, 00, body; numbers and booleans, whose class
//                                                   has several leads, keep their lead before the body
//   array 2C         values, 00                     lead and body of each; positions go without saying
//   binary 30        length, subtype, bytes         length: one byte below FF, else FF and four bytes
//   ObjectId 34      12 bytes
//   false 38, true 39
//   date 3C          8 bytes, sign bit turned over
//   timestamp 40     8 bytes
//   regex 44         pattern, 00, options, 00
//   DBPointer 48     length, collection, 12 bytes   the shorter collection name comes first, as in MongoDB
//   code 4C          text, 00
//   code with scope 50   text, 00, fields, 00
//
// Leads are never 00, so the 00 that ends a document or array comes before any further field, as the shorter document
// must. In a document the class stands before the name and the body behind it, for that is MongoDB's order: first the
// types of the first fields, then their names, then their values.
//
// Documents are walked flat: behind a nested document's last byte stands the next element of the one around it. All
// that must be remembered per level is whether it is an array.
namespace partita::query::keys {
namespace {

using bson::Buffer;
using bson::Type;
using bson::TypeClass;
using bson::Value;

constexpr std::uint8_t kEndOfFields = 0x00;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::size_t kObjectIdSize = 12;

std::uint8_t lead_of(Type type) { return static_cast<std::uint8_t>(bson::type_class(type)); }

void put_number(Value number, Buffer& out, TypeBits* types) {
  std::uint8_t* to = out.prepare(kMaxNumberSize);
  out.commit(static_cast<std::size_t>(put_number(to, number, types) - to));
}

void put_symbol_or_string(Value text, Buffer& out, TypeBits* types, const Collator* collation) {
  if (types != nullptr) types->put(text.is(Type::kSymbol), 1);
  if (collation == nullptr) return put_text(text.as_string(), out);
  const std::size_t begin = out.size();
  collation->append_sort_key(text.as_string(), out);
  end_text(begin, out);
}

/// The length counts what old binaries repeat inside, because MongoDB's order does.
void put_binary(Value binary, Buffer& out) {
  std::array<std::uint8_t, 8> unused;
  const std::uint8_t* payload = binary.payload(unused);
  const auto length = bson::load<std::uint32_t>(payload);
  put_length(length, out);
  out.append(payload + sizeof length, length + 1);
}

void put_db_pointer(Value pointer, Buffer& out) {
  std::array<std::uint8_t, 8> unused;
  const std::uint8_t* payload = pointer.payload(unused);
  const auto length = bson::load<std::uint32_t>(payload);
  put_length(length, out);
  out.append(payload + sizeof length, length + kObjectIdSize);
}

void put_regex(Value value, Buffer& out) {
  const bson::Regex regex = value.as_regex();
  put_name(regex.pattern, out);
  put_name(regex.options, out);
}

/// Writes the code and returns where the scope's document begins.
const std::uint8_t* put_scoped_code(const std::uint8_t* payload, Buffer& out) {
  const std::uint8_t* code = payload + 4;
  const auto length = bson::load<std::uint32_t>(code);
  put_text({reinterpret_cast<const char*>(code) + 4, length - 1}, out);
  return code + 4 + length;
}

/// What stands behind the lead byte, or with numbers and booleans the lead byte too. Not for nested ones.
void put_body(Value value, Buffer& out, TypeBits* types, const Collator* collation) {
  switch (value.type()) {
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDouble:
    case Type::kDecimal128:
      return put_number(value, out, types);
    case Type::kString:
    case Type::kSymbol:
      return put_symbol_or_string(value, out, types, collation);
    case Type::kObjectId: {
      std::array<std::uint8_t, 8> unused;
      return out.append(value.payload(unused), kObjectIdSize);
    }
    case Type::kBool:
      return out.push(static_cast<std::uint8_t>(lead_of(Type::kBool) + (value.as_bool() ? 1 : 0)));
    case Type::kDate:
      return put_big_endian(static_cast<std::uint64_t>(value.as_date().ms_since_epoch) ^ kSignBit, out);
    case Type::kTimestamp:
      return put_big_endian(value.as_timestamp().bits(), out);
    case Type::kBinary:
      return put_binary(value, out);
    case Type::kCode:
      return put_text(value.as_string(), out);
    case Type::kRegex:
      return put_regex(value, out);
    case Type::kDBPointer:
      return put_db_pointer(value, out);
    default:
      return;  // MinKey, undefined, null, MaxKey: the lead says it all.
  }
}

/// Is the lead byte part of what put_body() writes?
bool body_has_lead(Type type) {
  const TypeClass type_class = bson::type_class(type);
  return type_class == TypeClass::kNumber || type_class == TypeClass::kBool;
}

/// The fields of a document or the values of an array, nested ones included, and all that ends them.
void put_fields(const std::uint8_t* document, bool array, Buffer& out, TypeBits* types, const Collator* collation) {
  constexpr std::size_t kLengthWord = 4;
  Levels levels;
  levels.enter(array);
  const std::uint8_t* at = document + kLengthWord;
  while (true) {
    const auto type = static_cast<Type>(*at);
    if (type == Type::kEnd) {
      out.push(kEndOfFields);
      levels.leave();
      if (levels.none()) return;
      ++at;
      continue;
    }
    const std::string_view name(reinterpret_cast<const char*>(at) + 1);
    const std::uint8_t* payload = at + name.size() + 2;
    if (!levels.in_array()) {
      out.push(lead_of(type));
      put_name(name, out);
    } else if (!body_has_lead(type)) {
      out.push(lead_of(type));
    }
    if (type == Type::kDocument || type == Type::kArray) {
      levels.enter(type == Type::kArray);
      at = payload + kLengthWord;
    } else if (type == Type::kCodeWithScope) {
      at = put_scoped_code(payload, out) + kLengthWord;
      levels.enter(false);
    } else {
      put_body(Value::read(type, payload), out, types, collation);
      at = payload + bson::payload_size(type, payload);
    }
  }
}

void put_nested(Value value, Buffer& out, TypeBits* types, const Collator* collation) {
  std::array<std::uint8_t, 8> unused;
  const std::uint8_t* document = value.payload(unused);
  if (value.is(Type::kCodeWithScope)) document = put_scoped_code(document, out);
  put_fields(document, value.is_array(), out, types, collation);
}

bool is_nested(Type type) { return type == Type::kDocument || type == Type::kArray || type == Type::kCodeWithScope; }

}  // namespace

void encode(Value value, Direction direction, Buffer& out, TypeBits* types, const Collator* collation) {
  const std::size_t begin = out.size();
  const Type type = value.type();
  if (!body_has_lead(type)) out.push(lead_of(type));
  if (is_nested(type)) {
    put_nested(value, out, types, collation);
  } else {
    put_body(value, out, types, collation);
  }
  if (direction == Direction::kAscending) return;
  for (std::uint8_t* at = out.data() + begin; at != out.data() + out.size(); ++at) *at ^= 0xFF;
}

}  // namespace partita::query::keys
