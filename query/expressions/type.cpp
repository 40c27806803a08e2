// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

Result<bson::Value> type(Args args, Arena& arena) { return arena.string(args[0].type_name()); }

const RegisterEntry<Expression> kType{{
    .name = "$type",
    .summary = "The name of the value's type; \"missing\" if there is no value.",
    .evaluate = type,
    .examples = {{"{$type: '$a'}", "{a: 1}", "'int'"}, {"{$type: '$a'}", "{}", "'missing'"}},
}};

}  // namespace
}  // namespace partita::query
