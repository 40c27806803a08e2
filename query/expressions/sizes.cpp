// SPDX-License-Identifier: GPL-3.0-or-later
// $bsonSize, $binarySize, and the parts of timestamps; $isNumber.
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

Result<Value> bson_size(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_document()) return error(Code{31393}, "$bsonSize requires a document input, found: ", args[0].type_name());
  return Value::of(static_cast<std::int32_t>(args[0].as_document().size()));
}

Result<Value> binary_size(Args args, Arena&) {
  const Value value = args[0];
  if (value.is_nullish()) return Value::null();
  if (value.is_string()) return Value::of(static_cast<std::int32_t>(value.as_string().size()));
  if (!value.is(Type::kBinary))
    return error(Code{51276}, "$binarySize requires a string or BinData argument, found: ", value.type_name());
  return Value::of(static_cast<std::int32_t>(value.as_binary().bytes.size()));
}

Result<Value> ts_second(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is(Type::kTimestamp))
    return error(Code{5687301}, " Argument to $tsSecond must be a timestamp, but is ", args[0].type_name());
  return Value::of(std::int64_t{args[0].as_timestamp().seconds});
}

Result<Value> ts_increment(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is(Type::kTimestamp))
    return error(Code{5687302}, " Argument to $tsIncrement must be a timestamp, but is ", args[0].type_name());
  return Value::of(std::int64_t{args[0].as_timestamp().increment});
}

Result<Value> is_number(Args args, Arena&) { return Value::of(args[0].is_number()); }

using Register = RegisterEntry<Expression>;

const Register kBsonSize{{
    .name = "$bsonSize",
    .summary = "How many bytes a document takes as BSON.",
    .evaluate = bson_size,
    .examples = {{"{$bsonSize: '$a'}", "{a: {x: 1}}", "12"}, {"{$bsonSize: '$a'}", "{a: 1}", "error 31393"}, {"{$bsonSize: '$a'}", "{}", "null"}},
}};
const Register kBinarySize{{
    .name = "$binarySize",
    .summary = "How many bytes a string or binary value has.",
    .evaluate = binary_size,
    .examples = {{"{$binarySize: '$a'}", "{a: 'né'}", "3"}, {"{$binarySize: 1}", "{}", "error 51276"}},
}};
const Register kTsSecond{{
    .name = "$tsSecond",
    .summary = "The seconds of a timestamp.",
    .evaluate = ts_second,
    .examples = {{"{$tsSecond: '$a'}", "{a: {$timestamp: {t: 5, i: 6}}}", "{$numberLong: '5'}"}, {"{$tsSecond: 1}", "{}", "error 5687301"}},
}};
const Register kTsIncrement{{
    .name = "$tsIncrement",
    .summary = "The ordinal within the second of a timestamp.",
    .evaluate = ts_increment,
    .examples = {{"{$tsIncrement: '$a'}", "{a: {$timestamp: {t: 5, i: 6}}}", "{$numberLong: '6'}"}, {"{$tsIncrement: 1}", "{}", "error 5687302"}},
}};
const Register kIsNumber{{
    .name = "$isNumber",
    .summary = "Whether a value is a number of any type.",
    .evaluate = is_number,
    .examples = {{"{$isNumber: '$a'}", "{a: 1.5}", "true"}, {"{$isNumber: '$a'}", "{a: '1'}", "false"}},
}};

}  // namespace
}  // namespace partita::query
