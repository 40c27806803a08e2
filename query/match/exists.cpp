// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"

namespace partita::query {
namespace {

class Exists : public QuickPredicate {
 public:
  bool matches(bson::Value value, MatchState&) const override { return !value.missing(); }
};

Result<Clause> parse_exists(const OperatorArgs& args) {
  return Clause{std::make_unique<Exists>(), !args.operand.truthy()};
}

const RegisterEntry<MatchOperator> kExists{{
    .name = "$exists",
    .summary = "The field is there, even if null; with false: it is not.",
    .parse = parse_exists,
    .examples = {{"{a: {$exists: true}}", "{a: null}", "true"},
                 {"{a: {$exists: 0}}", "{b: 1}", "true"},
                 {"{'a.b': {$exists: true}}", "{a: [{c: 1}, {b: 1}]}", "true"},
                 {"{a: {$exists: 'yes'}}", "{}", "false"}},
}};

}  // namespace
}  // namespace partita::query
