// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> size(Args args, Arena&) {
  if (!args[0].is_array())
    return error(Code{17124}, "The argument to $size must be an array, but was of type: ", args[0].type_name());
  return Value::of(static_cast<std::int32_t>(args[0].as_document().count()));
}

const RegisterEntry<Expression> kSize{{
    .name = "$size",
    .summary = "How many elements an array has.",
    .evaluate = size,
    .examples = {{"{$size: '$a'}", "{a: [1, 2]}", "2"}, {"{$size: '$a'}", "{a: 1}", "error 17124"}},
}};

}  // namespace
}  // namespace partita::query
