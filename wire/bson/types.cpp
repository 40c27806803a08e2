// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/types.h"

namespace partita::bson {
namespace {

struct TypeRow {
  Type type;
  TypeClass type_class;
  std::string_view name;
};

constexpr TypeRow kTypes[] = {
    {Type::kEnd, TypeClass::kUndefined, "missing"},
    {Type::kDouble, TypeClass::kNumber, "double"},
    {Type::kString, TypeClass::kString, "string"},
    {Type::kDocument, TypeClass::kDocument, "object"},
    {Type::kArray, TypeClass::kArray, "array"},
    {Type::kBinary, TypeClass::kBinary, "binData"},
    {Type::kUndefined, TypeClass::kUndefined, "undefined"},
    {Type::kObjectId, TypeClass::kObjectId, "objectId"},
    {Type::kBool, TypeClass::kBool, "bool"},
    {Type::kDate, TypeClass::kDate, "date"},
    {Type::kNull, TypeClass::kNull, "null"},
    {Type::kRegex, TypeClass::kRegex, "regex"},
    {Type::kDBPointer, TypeClass::kDBPointer, "dbPointer"},
    {Type::kCode, TypeClass::kCode, "javascript"},
    {Type::kSymbol, TypeClass::kString, "symbol"},
    {Type::kCodeWithScope, TypeClass::kCodeWithScope, "javascriptWithScope"},
    {Type::kInt32, TypeClass::kNumber, "int"},
    {Type::kTimestamp, TypeClass::kTimestamp, "timestamp"},
    {Type::kInt64, TypeClass::kNumber, "long"},
    {Type::kDecimal128, TypeClass::kNumber, "decimal"},
    {Type::kMinKey, TypeClass::kMinKey, "minKey"},
    {Type::kMaxKey, TypeClass::kMaxKey, "maxKey"},
};

/// The 256 possible type bytes, so that a look-up is one load.
constexpr auto kByType = [] {
  std::array<TypeRow, 256> table{};
  for (const TypeRow& row : kTypes) table[static_cast<std::uint8_t>(row.type)] = row;
  return table;
}();

}  // namespace

std::string_view type_name(Type type) { return kByType[static_cast<std::uint8_t>(type)].name; }
TypeClass type_class(Type type) { return kByType[static_cast<std::uint8_t>(type)].type_class; }

}  // namespace partita::bson
