// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

const RegisterEntry<Expression> kMeta{{
    .name = "$meta",
    .min_args = 0,
    .max_args = 0,
    .summary = "What is known of a document beside its fields: how well it fits the query's $text, the keys by which it was sorted "
               "or found, its distance from a point, its record id.",
    .between = [](LazyCode&, std::size_t, std::size_t) {},  // The compiler writes it: it knows the query.
    .of_meta = true,
    .examples = {{"{$meta: 'textScore'}", "{}", "error 40218"},  // There is no query here.
                 {"{$meta: 'recordId'}", "{}", "error 40218"},
                 {"{$meta: 'searchScore'}", "{}", "missing"},
                 {"{$meta: 'nothing'}", "{}", "error 17308"},
                 {"{$meta: 1}", "{}", "error 17307"}},
}};

}  // namespace
}  // namespace partita::query
