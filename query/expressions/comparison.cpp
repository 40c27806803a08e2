// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/collation/collator.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

template <bool (*holds)(std::partial_ordering) noexcept>
Result<Value> evaluate(Args args, Arena&, const Collator* collation) {
  return Value::of(holds(bson::compare(args[0], args[1], collation)));
}

Result<Value> evaluate_cmp(Args args, Arena&, const Collator* collation) {
  const std::weak_ordering order = bson::compare(args[0], args[1], collation);
  return Value::of(std::int32_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

using Register = RegisterEntry<Expression>;

const Register kEq{{.name = "$eq",
                    .min_args = 2,
                    .max_args = 2,
                    .summary = "Whether two values are equal; a missing one equals only another missing one.",
                    .compares = evaluate<std::is_eq>,
                    .examples = {{"{$eq: ['$a', 1]}", "{a: 1.0}", "true"}, {"{$eq: ['$a', null]}", "{}", "false"}}}};
const Register kNe{{.name = "$ne",
                    .min_args = 2,
                    .max_args = 2,
                    .summary = "Whether two values differ.",
                    .compares = evaluate<std::is_neq>,
                    .examples = {{"{$ne: ['$a', 1]}", "{a: 'x'}", "true"}}}};
const Register kGt{{.name = "$gt",
                    .min_args = 2,
                    .max_args = 2,
                    .summary = "Whether the first is greater, in the order of all types.",
                    .compares = evaluate<std::is_gt>,
                    .examples = {{"{$gt: ['$a', 1]}", "{a: 'x'}", "true"}}}};
const Register kGte{{.name = "$gte",
                     .min_args = 2,
                     .max_args = 2,
                     .summary = "Whether the first is not less, in the order of all types.",
                     .compares = evaluate<std::is_gteq>,
                     .examples = {{"{$gte: ['$a', 1]}", "{a: 1}", "true"}, {"{$gte: ['$a']}", "{}", "error 16020"}}}};
const Register kLt{{.name = "$lt",
                    .min_args = 2,
                    .max_args = 2,
                    .summary = "Whether the first is less, in the order of all types.",
                    .compares = evaluate<std::is_lt>,
                    .examples = {{"{$lt: ['$a', null]}", "{}", "true"}}}};
const Register kLte{{.name = "$lte",
                     .min_args = 2,
                     .max_args = 2,
                     .summary = "Whether the first is not greater, in the order of all types.",
                     .compares = evaluate<std::is_lteq>,
                     .examples = {{"{$lte: ['$a', 5]}", "{a: 6}", "false"}}}};
const Register kCmp{{.name = "$cmp",
                     .min_args = 2,
                     .max_args = 2,
                     .summary = "-1, 0 or 1 as the first is less, equal or greater.",
                     .compares = evaluate_cmp,
                     .examples = {{"{$cmp: ['$a', 'x']}", "{a: 1}", "-1"}}}};

}  // namespace
}  // namespace partita::query
