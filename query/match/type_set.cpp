// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/type_set.h"

#include "wire/bson/view.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

constexpr Type kTypes[] = {Type::kDouble,    Type::kString, Type::kDocument, Type::kArray,         Type::kBinary,
                           Type::kUndefined, Type::kObjectId, Type::kBool,   Type::kDate,          Type::kNull,
                           Type::kRegex,     Type::kDBPointer, Type::kCode,  Type::kSymbol,        Type::kCodeWithScope,
                           Type::kInt32,     Type::kTimestamp, Type::kInt64, Type::kDecimal128,    Type::kMinKey,
                           Type::kMaxKey};

/// MinKey's number is -1, though its byte is FF.
int number_of(Type type) { return type == Type::kMinKey ? -1 : static_cast<int>(type); }

}  // namespace

void TypeSet::insert_numbers() {
  for (const Type type : {Type::kInt32, Type::kInt64, Type::kDouble, Type::kDecimal128}) insert(type);
}

Status TypeSet::add(std::string_view name) {
  if (name == "number") return insert_numbers(), Status();
  for (const Type type : kTypes)
    if (bson::type_name(type) == name) return insert(type), Status();
  return error(Code::BadValue, "Unknown type name alias: ", name);
}

Status TypeSet::add(Value type) {
  if (type.is_string()) return add(type.as_string());
  if (!type.is_number()) return error(Code::TypeMismatch, "type must be represented as a number or a string");
  const auto number = type.exact_int64();
  if (number == 0) return error(Code::BadValue, "Invalid numerical type code: 0. Instead use {$exists:false}.");
  for (const Type known : kTypes)
    if (number == number_of(known)) return insert(known), Status();
  return error(Code::BadValue, "Invalid numerical type code: ", *type.to_double());
}

Result<TypeSet> TypeSet::parse(Value operand, std::string_view path) {
  TypeSet set;
  if (!operand.is_array()) {
    CHECK_OK(set.add(operand));
    return set;
  }
  if (operand.as_document().empty()) return error(Code::FailedToParse, path, " must match at least one type");
  for (const bson::Field& field : operand.as_document()) CHECK_OK(set.add(field.value));
  return set;
}

}  // namespace partita::query
