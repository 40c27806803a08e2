// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions in JavaScript are known by name, so that whoever uses them is told why they cannot be had.
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

Result<Operands> refuse(bson::Value) {
  return error(Code::NotImplemented, "$function is not supported: this server runs no JavaScript");
}

const RegisterEntry<Expression> kFunction{{
    .name = "$function",
    .summary = "Not supported: what a function in JavaScript answers.",
    .arguments = refuse,
    .examples = {{"{$function: {body: 'function() {}', args: [], lang: 'js'}}", "{}", "error 238"}},
}};

}  // namespace
}  // namespace partita::query
