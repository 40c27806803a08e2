// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/decode.h"

#include "query/keys/number.h"
#include "query/keys/text.h"
#include "wire/bson/nesting.h"

namespace partita::query::keys {
namespace {

using bson::Buffer;
using bson::Type;
using bson::TypeClass;
using bson::Value;
using bson::Writer;

constexpr std::size_t kMaxLevels = bson::kLevelsAtHand;
constexpr std::size_t kObjectIdSize = 12;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

/// A length word, text and final zero, as a string lies on the wire.
void take_string(KeyReader& key, Buffer& out) {
  const std::size_t begin = out.size();
  out.put(std::uint32_t{0});
  take_text(key, out);
  out.push(0);
  out.put_at(begin, static_cast<std::uint32_t>(out.size() - begin - sizeof(std::uint32_t)));
}

void take_counted(KeyReader& key, std::size_t behind, Buffer& out) {
  const std::uint32_t length = take_length(key);
  out.put(length);
  take_bytes(key, std::size_t{length} + behind, out);
}

void take_regex(KeyReader& key, Buffer& out) {
  take_name(key, out);
  out.push(0);
  take_name(key, out);
  out.push(0);
}

bool is_nested(TypeClass type_class) {
  return type_class == TypeClass::kDocument || type_class == TypeClass::kArray ||
         type_class == TypeClass::kCodeWithScope;
}

}  // namespace

/// A value that is not nested; its lead is still to come for numbers and booleans, and has been taken for the others.
Value Decoder::take_body(KeyReader& key, std::uint8_t lead) {
  if (is_number_lead(lead)) return take_number(key, types_, decimal_);
  if (is_bool_lead(lead)) {
    const std::uint8_t own = key.take();
    if (!is_bool_lead(own)) key.fail();
    return Value::of((own & 1) != 0);
  }
  payload_.clear();
  const auto pointed = [this](Type type) {
    return Value::of_payload(type, payload_.data(), static_cast<std::uint32_t>(payload_.size()));
  };
  switch (static_cast<TypeClass>(lead)) {
    case TypeClass::kMinKey:
      return Value::min_key();
    case TypeClass::kUndefined:
      return Value::undefined();
    case TypeClass::kNull:
      return Value::null();
    case TypeClass::kMaxKey:
      return Value::max_key();
    case TypeClass::kDate:
      return Value::of(bson::Date{static_cast<std::int64_t>(key.take_big_endian(8) ^ kSignBit)});
    case TypeClass::kTimestamp:
      return Value::of(bson::Timestamp::from_bits(key.take_big_endian(8)));
    case TypeClass::kString:
      take_string(key, payload_);
      return pointed(types_.take(1) != 0 ? Type::kSymbol : Type::kString);
    case TypeClass::kCode:
      take_string(key, payload_);
      return pointed(Type::kCode);
    case TypeClass::kObjectId:
      take_bytes(key, kObjectIdSize, payload_);
      return pointed(Type::kObjectId);
    case TypeClass::kBinary:
      take_counted(key, 1, payload_);
      return pointed(Type::kBinary);
    case TypeClass::kDBPointer:
      take_counted(key, kObjectIdSize, payload_);
      return pointed(Type::kDBPointer);
    case TypeClass::kRegex:
      take_regex(key, payload_);
      return pointed(Type::kRegex);
    default:
      key.fail();
      return {};
  }
}

/// The name of the value that comes next. In a document it stands in the key, behind the class, which has been taken.
std::string_view Decoder::field_name(KeyReader& key, std::string_view outermost) {
  if (levels_.empty()) return outermost;
  name_.clear();
  name_.reserve(1);  // An empty name is still a place in memory.
  Level& level = levels_.back();
  if (level.array) {
    char* digits = reinterpret_cast<char*>(name_.prepare(12));
    name_.commit(static_cast<std::size_t>(std::to_chars(digits, digits + 12, level.index++).ptr - digits));
  } else {
    take_name(key, name_);
  }
  return name_.text();
}

void Decoder::enter(KeyReader& key, TypeClass type_class, std::string_view name, Writer& out) {
  if (levels_.size() == kMaxLevels) return key.fail();
  Writer& parent = levels_.empty() ? out : levels_.back().writer;
  if (type_class == TypeClass::kDocument) {
    levels_.push_back({parent.document(name), false});
    return;
  }
  // The writer knows no arrays under construction but its own, and no code with scope at all: begin the element by hand.
  Buffer& bytes = parent.buffer();
  const bool array = type_class == TypeClass::kArray;
  bytes.push(static_cast<std::uint8_t>(array ? Type::kArray : Type::kCodeWithScope));
  bytes.append(name);
  bytes.push(0);
  const std::size_t begin = bytes.size();
  if (!array) {
    bytes.put(std::uint32_t{0});
    take_string(key, bytes);
  }
  levels_.push_back({Writer(bytes), array});
  if (!array) levels_.back().scoped_code = begin;
}

void Decoder::leave(Buffer& out) {
  const std::size_t scoped_code = levels_.back().scoped_code;
  levels_.pop_back();  // Closes the document.
  if (scoped_code != 0) out.put_at(scoped_code, static_cast<std::uint32_t>(out.size() - scoped_code));
}

/// One value, or the first part of a nested one, or the end of one.
void Decoder::step(KeyReader& key, std::string_view name, Writer& out) {
  const std::uint8_t lead = key.peek();
  if (lead == 0 && !levels_.empty()) {
    key.take();
    return leave(out.buffer());
  }
  const bool named = !levels_.empty() && !levels_.back().array;
  if (named || !(is_number_lead(lead) || is_bool_lead(lead))) key.take();
  name = field_name(key, name);
  if (is_nested(static_cast<TypeClass>(lead))) return enter(key, static_cast<TypeClass>(lead), name, out);
  const Value value = take_body(key, lead);
  if (!key.failed()) (levels_.empty() ? out : levels_.back().writer).add(name, value);
}

Status Decoder::next(Direction direction, std::string_view name, Writer& out) {
  KeyReader key(rest_, direction == Direction::kAscending ? 0x00 : 0xFF);
  do {
    step(key, name, out);
  } while (!levels_.empty() && !key.failed());
  while (!levels_.empty()) leave(out.buffer());
  if (key.failed()) return error(Code::InternalError, "a key holds bytes that are no encoded value");
  rest_ = rest_.last(key.left());
  return {};
}

Result<std::uint64_t> Decoder::next_hash() {
  KeyReader key(rest_, 0x00);
  const std::uint64_t hash = key.take_big_endian(8);
  if (key.failed()) return error(Code::InternalError, "a key ends within a hash");
  rest_ = rest_.last(key.left());
  return hash;
}

}  // namespace partita::query::keys
