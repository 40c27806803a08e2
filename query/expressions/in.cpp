// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/collation/collator.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> in(Args args, Arena&, const Collator* collation) {
  if (!args[1].is_array())
    return error(Code{40081}, "$in requires an array as a second argument, found: ", args[1].type_name());
  for (const bson::Field& element : args[1].as_document())
    if (bson::equal(element.value, args[0], collation)) return Value::of(true);
  return Value::of(false);
}

const RegisterEntry<Expression> kIn{{
    .name = "$in",
    .min_args = 2,
    .max_args = 2,
    .summary = "Whether a value is an element of an array.",
    .compares = in,
    .examples = {{"{$in: ['$a', [1, 2]]}", "{a: 2.0}", "true"}, {"{$in: [3, '$a']}", "{a: [[3]]}", "false"}, {"{$in: [1, '$a']}", "{}", "error 40081"}},
}};

}  // namespace
}  // namespace partita::query
