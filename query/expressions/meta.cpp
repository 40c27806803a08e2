// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/meta.h"

#include "query/expressions/lazy_code.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Operands> arguments(Value operand) {
  TRY(const Meta meta, parse_meta(operand));
  CHECK_OK(check_available(meta, {.texts = true}));  // Whether there is a query of texts is the compiler's to ask.
  if (meta != Meta::kTextScore) return not_supported("$meta of anything but 'textScore' in an expression");
  return Operands();
}

void between(LazyCode& code, std::size_t, std::size_t) { code.text_score(); }

const RegisterEntry<Expression> kMeta{{
    .name = "$meta",
    .min_args = 0,
    .max_args = 0,
    .summary = "What is known of a document beside its fields: how well it fits the query's $text.",
    .between = between,
    .arguments = arguments,
    .of_texts = true,
    .examples = {{"{$meta: 'textScore'}", "{}", "error 40218"}},  // There is no query here.
}};

}  // namespace
}  // namespace partita::query
