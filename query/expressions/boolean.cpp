// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"

namespace partita::query {
namespace {

using bson::Value;

/// Each argument that decides the matter jumps; the last one's code is followed by both answers.
template <bool deciding>
void between(LazyCode& code, std::size_t argument, std::size_t count) {
  constexpr int kDecided = 0;
  constexpr int kEnd = 1;
  if (count == 0) return code.constant(Value::of(!deciding));
  deciding ? code.jump_if_true(kDecided) : code.jump_if_false(kDecided);
  if (argument < count) return;
  code.constant(Value::of(!deciding));
  code.jump(kEnd);
  code.bind(kDecided);
  code.constant(Value::of(deciding));
  code.bind(kEnd);
}

Result<Value> evaluate_not(Args args, Arena&) { return Value::of(!args[0].truthy()); }

using Register = RegisterEntry<Expression>;

const Register kAnd{{
    .name = "$and",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "Whether all arguments are true; stops at the first that is not.",
    .between = between<false>,
    .examples = {{"{$and: ['$a', '$b']}", "{a: 1, b: 0}", "false"},
                 {"{$and: ['$a', '$b']}", "{a: 1, b: 'x'}", "true"},
                 {"{$and: ['$a', {$divide: [1, '$a']}]}", "{a: 0}", "false"},
                 {"{$and: []}", "{}", "true"}},
}};
const Register kOr{{
    .name = "$or",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "Whether one argument is true; stops at the first that is.",
    .between = between<true>,
    .examples = {{"{$or: ['$a', '$b']}", "{a: 0, b: 5}", "true"}, {"{$or: []}", "{}", "false"}},
}};
const Register kNot{{
    .name = "$not",
    .summary = "Whether the argument is not true.",
    .evaluate = evaluate_not,
    .examples = {{"{$not: '$a'}", "{a: null}", "true"}, {"{$not: [1, 2]}", "{}", "error 16020"}},
}};

}  // namespace
}  // namespace partita::query
