// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> characters(Args args, Arena&) {
  if (!args[0].is_string())
    return error(Code{34471}, "$strLenCP requires a string argument, found: ", args[0].type_name());
  return Value::of(static_cast<std::int32_t>(count_characters(args[0].as_string())));
}

Result<Value> bytes(Args args, Arena&) {
  if (!args[0].is_string())
    return error(Code{34473}, "$strLenBytes requires a string argument, found: ", args[0].type_name());
  return Value::of(static_cast<std::int32_t>(args[0].as_string().size()));
}

using Register = RegisterEntry<Expression>;

const Register kStrLenCP{{
    .name = "$strLenCP",
    .summary = "How many characters (Unicode code points) a string has.",
    .evaluate = characters,
    .examples = {{"{$strLenCP: '$a'}", "{a: 'né'}", "2"}, {"{$strLenCP: '$a'}", "{}", "error 34471"}},
}};
const Register kStrLenBytes{{
    .name = "$strLenBytes",
    .summary = "How many bytes a string takes as UTF-8.",
    .evaluate = bytes,
    .examples = {{"{$strLenBytes: '$a'}", "{a: 'né'}", "3"}, {"{$strLenBytes: 5}", "{}", "error 34473"}},
}};

}  // namespace
}  // namespace partita::query
