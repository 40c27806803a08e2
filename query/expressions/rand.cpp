// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  if (!operand.is_document() && !operand.is_array())
    return error(Code{10065}, "invalid parameter: expected an object ($rand)");
  if (!operand.as_document().empty()) return error(Code{3040501}, "$rand does not currently accept arguments");
  return Operands();
}

void between(LazyCode& code, std::size_t, std::size_t) { code.random(); }

const RegisterEntry<Expression> kRand{{
    .name = "$rand",
    .min_args = 0,
    .max_args = 0,
    .summary = "A random number from 0 to below 1, another one each time.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$lt: [{$rand: {}}, 1]}", "{}", "true"},
                 {"{$gte: [{$rand: {}}, 0]}", "{}", "true"},
                 {"{$ne: [{$rand: {}}, {$rand: {}}]}", "{}", "true"},
                 {"{$rand: {a: 1}}", "{}", "error 3040501"}},
}};

}  // namespace
}  // namespace partita::query
