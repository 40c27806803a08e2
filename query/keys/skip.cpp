// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/encode.h"
#include "query/keys/levels.h"
#include "query/keys/number.h"
#include "query/keys/text.h"

namespace partita::query::keys {
namespace {

using bson::TypeClass;

/// What stands behind the lead of a value that is neither nested nor a number.
void skip_body(KeyReader& key, TypeClass type_class) {
  constexpr std::size_t kObjectIdSize = 12;
  switch (type_class) {
    case TypeClass::kMinKey:
    case TypeClass::kUndefined:
    case TypeClass::kNull:
    case TypeClass::kMaxKey:
      return;
    case TypeClass::kString:
    case TypeClass::kCode:
      return skip_text(key);
    case TypeClass::kRegex:
      skip_text(key);
      return skip_text(key);
    case TypeClass::kBinary:
      key.skip(std::size_t{take_length(key)} + 1);
      return;
    case TypeClass::kDBPointer:
      key.skip(take_length(key) + kObjectIdSize);
      return;
    case TypeClass::kObjectId:
      key.skip(kObjectIdSize);
      return;
    case TypeClass::kDate:
    case TypeClass::kTimestamp:
      key.skip(sizeof(std::uint64_t));
      return;
    default:
      return key.fail();
  }
}

bool is_nested(TypeClass type_class) {
  return type_class == TypeClass::kDocument || type_class == TypeClass::kArray ||
         type_class == TypeClass::kCodeWithScope;
}

void enter(KeyReader& key, TypeClass type_class, Levels& levels) {
  if (levels.full()) return key.fail();
  if (type_class == TypeClass::kCodeWithScope) skip_text(key);
  levels.enter(type_class == TypeClass::kArray);
}

/// One value, or the first part of a nested one, or the end of one.
void step(KeyReader& key, Levels& levels) {
  const std::uint8_t lead = key.peek();
  if (lead == 0 && !levels.none()) {
    key.take();
    return levels.leave();
  }
  const bool named = levels.in_document();
  if (named) {
    key.take();
    skip_text(key);
  }
  if (is_number_lead(lead)) return skip_number(key);
  if (is_bool_lead(lead)) {
    key.take();
    return;
  }
  if (!named) key.take();
  const auto type_class = static_cast<TypeClass>(lead);
  if (is_nested(type_class)) return enter(key, type_class, levels);
  skip_body(key, type_class);
}

}  // namespace

std::size_t encoded_size(std::span<const std::uint8_t> key, Direction direction) {
  KeyReader reader(key, direction == Direction::kAscending ? 0x00 : 0xFF);
  Levels levels;
  do {
    step(reader, levels);
  } while (!levels.none() && !reader.failed());
  return reader.failed() ? 0 : key.size() - reader.left();
}

}  // namespace partita::query::keys
