// SPDX-License-Identifier: GPL-3.0-or-later
// $convert, with its short forms $toInt, $toString...
#include "query/expressions/conversions.h"
#include "query/expressions/lazy_code.h"
#include "query/expressions/parameters.h"
#include "query/expressions/text_values.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

struct NamedType {
  std::string_view name;
  Type type;
};
constexpr NamedType kTypes[] = {
    {"double", Type::kDouble}, {"string", Type::kString}, {"object", Type::kDocument}, {"array", Type::kArray},
    {"binData", Type::kBinary}, {"undefined", Type::kUndefined}, {"objectId", Type::kObjectId}, {"bool", Type::kBool},
    {"date", Type::kDate}, {"null", Type::kNull}, {"regex", Type::kRegex}, {"dbPointer", Type::kDBPointer},
    {"javascript", Type::kCode}, {"symbol", Type::kSymbol}, {"javascriptWithScope", Type::kCodeWithScope},
    {"int", Type::kInt32}, {"timestamp", Type::kTimestamp}, {"long", Type::kInt64}, {"decimal", Type::kDecimal128},
    {"minKey", Type::kMinKey}, {"maxKey", Type::kMaxKey}, {"missing", Type::kEnd},
};

Result<Type> target(Value to) {
  if (to.is_string()) {
    for (const NamedType& type : kTypes)
      if (type.name == to.as_string()) return type.type;
    return error(Code::BadValue, "Unknown type name: ", to.as_string());
  }
  if (!to.is_number())
    return error(Code::FailedToParse, "$convert's 'to' argument must be a string or number, but is ", to.type_name());
  const auto number = exact_int32(to);
  if (!number) return error(Code::FailedToParse, "In $convert, numeric 'to' argument is not an integer");
  for (const NamedType& type : kTypes)
    if (static_cast<std::int8_t>(type.type) == *number) return type.type;
  return error(Code::FailedToParse, "In $convert, numeric value for 'to' does not correspond to a BSON type: ", *number);
}

Result<Operands> arguments(Value operand) {
  if (!operand.is_document())
    return error(Code::FailedToParse, "$convert expects an object of named arguments but found: ", operand.type_name());
  constexpr std::string_view kNames[] = {"input", "to", "onNull", "onError"};
  std::vector<Value> given(4);
  for (const bson::Field& field : operand.as_document()) {
    std::size_t i = 0;
    while (i < 4 && kNames[i] != field.name) ++i;
    if (i == 4) return error(Code::FailedToParse, "$convert found an unknown argument: ", field.name);
    given[i] = field.value;
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (given[i].missing()) return error(Code::FailedToParse, "Missing '", kNames[i], "' parameter to $convert");
  if (given[2].missing()) given[2] = Value::null();
  if (given[3].missing()) given.pop_back();
  return Operands(std::move(given));
}

/// The input, the type, and what is answered for null.
Result<Value> convert(Args args, Arena& arena) {
  if (!args[1].is_nullish()) {
    TRY(const Type to, target(args[1]));
    return args[0].is_nullish() ? Result(args[2]) : convert_value(args[0], to, arena);
  }
  return args[0].is_nullish() ? args[2] : Value::null();
}

/// What stands in for failures is computed only when there is one.
void between(LazyCode& code, std::size_t argument, std::size_t count) {
  constexpr int kEnd = 0;
  if (argument == 3) count == 3 ? code.call(convert, 3) : code.try_call(convert, 3, kEnd);
  if (argument == 4) code.bind(kEnd);
}

template <Type to>
Result<Value> convert_to(Args args, Arena& arena) {
  return args[0].is_nullish() ? Value::null() : convert_value(args[0], to, arena);
}

Result<Value> to_uuid(Args args, Arena& arena) {
  return args[0].is_nullish() ? Value::null() : convert_to_uuid(args[0], arena);
}

Status one_argument(std::size_t count) { return error(Code{50723}, "a conversion requires a single argument, got ", count); }

using Register = RegisterEntry<Expression>;

const Register kConvert{{
    .name = "$convert",
    .min_args = 3,
    .max_args = 4,
    .summary = "A value as one of another type, with answers of one's own for null and for what does not convert.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$convert: {input: '$a', to: 'int'}}", "{a: '5'}", "5"},
                 {"{$convert: {input: '$a', to: 'int', onError: 'bad', onNull: 'none'}}", "{a: 'x'}", "'bad'"},
                 {"{$convert: {input: '$a', to: 'int', onError: {$divide: [1, '$z']}}}", "{a: '7', z: 0}", "7"},
                 {"{$convert: {input: '$a', to: 'int', onNull: 'none'}}", "{}", "'none'"},
                 {"{$convert: {input: '$a', to: 'int'}}", "{a: 'x'}", "error 241"},
                 {"{$convert: {input: 1, to: 'foo'}}", "{}", "error 2"}},
}};
const Register kToInt{{
    .name = "$toInt",
    .summary = "A value as an int; null for null.",
    .evaluate = convert_to<Type::kInt32>,
    .wrong_count = one_argument,
    .examples = {{"{$toInt: '$a'}", "{a: 2.9}", "2"}, {"{$toInt: '$a'}", "{a: 3000000000}", "error 241"}, {"{$toInt: '$a'}", "{}", "null"}},
}};
const Register kToLong{{
    .name = "$toLong",
    .summary = "A value as a long; of a date its milliseconds.",
    .evaluate = convert_to<Type::kInt64>,
    .wrong_count = one_argument,
    .examples = {{"{$toLong: '$a'}", "{a: '-5'}", "{$numberLong: '-5'}"}, {"{$toLong: '$a'}", "{a: '5.5'}", "error 241"}},
}};
const Register kToDouble{{
    .name = "$toDouble",
    .summary = "A value as a double.",
    .evaluate = convert_to<Type::kDouble>,
    .wrong_count = one_argument,
    .examples = {{"{$toDouble: '$a'}", "{a: '1e3'}", "1000.0"}, {"{$toDouble: '$a'}", "{a: true}", "1.0"}},
}};
const Register kToDecimal{{
    .name = "$toDecimal",
    .summary = "A value as a decimal.",
    .evaluate = convert_to<Type::kDecimal128>,
    .wrong_count = one_argument,
    .examples = {{"{$toDecimal: '$a'}", "{a: '1.50'}", "{$numberDecimal: '1.50'}"}, {"{$toDecimal: 'x'}", "{}", "error 241"}},
}};
const Register kToBool{{
    .name = "$toBool",
    .summary = "Whether a value is true: all are but false and zero.",
    .evaluate = convert_to<Type::kBool>,
    .wrong_count = one_argument,
    .examples = {{"{$toBool: '$a'}", "{a: 0}", "false"}, {"{$toBool: '$a'}", "{a: 'false'}", "true"}, {"{$toBool: '$a'}", "{}", "null"}},
}};
const Register kToString{{
    .name = "$toString",
    .summary = "A value as a string.",
    .evaluate = convert_to<Type::kString>,
    .wrong_count = one_argument,
    .examples = {{"{$toString: '$a'}", "{a: 2.5}", "'2.5'"}, {"{$toString: '$a'}", "{a: [1]}", "error 241"}},
}};
const Register kToDate{{
    .name = "$toDate",
    .summary = "A value as a date: milliseconds, a text, or when an ObjectId was made.",
    .evaluate = convert_to<Type::kDate>,
    .wrong_count = one_argument,
    .examples = {{"{$toDate: '$a'}", "{a: '2020-01-02'}", "{$date: '2020-01-02T00:00:00Z'}"}, {"{$toDate: 5}", "{}", "error 241"}},
}};
const Register kToObjectId{{
    .name = "$toObjectId",
    .summary = "A text of 24 hexadecimal digits as an ObjectId.",
    .evaluate = convert_to<Type::kObjectId>,
    .wrong_count = one_argument,
    .examples = {{"{$toObjectId: '$a'}", "{a: '507f1f77bcf86cd799439011'}", "{$oid: '507f1f77bcf86cd799439011'}"}, {"{$toObjectId: 'x'}", "{}", "error 241"}},
}};
const Register kToUUID{{
    .name = "$toUUID",
    .summary = "A text of hexadecimal digits in groups of 8, 4, 4, 4 and 12 as a UUID.",
    .evaluate = to_uuid,
    .wrong_count = one_argument,
    .examples = {{"{$binarySize: {$toUUID: '$a'}}", "{a: '0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60'}", "16"},
                 {"{$toUUID: '$a'}", "{a: '61626361-6263-6162-6361-626361626361'}", "{$binary: {base64: 'YWJjYWJjYWJjYWJjYWJjYQ==', subType: '04'}}"},
                 {"{$toUUID: 'x'}", "{}", "error 241"}},
}};

}  // namespace
}  // namespace partita::query
