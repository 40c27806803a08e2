// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"
#include "query/match/type_set.h"

namespace partita::query {
namespace {

class HasType : public QuickPredicate {
 public:
  explicit HasType(TypeSet types) : types_(types) {}
  bool matches(bson::Value value, MatchState&) const override { return types_.has(value.type()); }

 private:
  TypeSet types_;
};

Result<Clause> parse_type(const OperatorArgs& args) {
  TRY(const TypeSet types, TypeSet::parse(args.operand, args.path));
  return Clause{std::make_unique<HasType>(types)};
}

const RegisterEntry<MatchOperator> kType{{
    .name = "$type",
    .summary = "The value, or an element of it, is of one of these types.",
    .parse = parse_type,
    .examples = {{"{a: {$type: 'string'}}", "{a: 'x'}", "true"},
                 {"{a: {$type: 2}}", "{a: [1, 'x']}", "true"},
                 {"{a: {$type: ['int', 'number']}}", "{a: 1.5}", "true"},
                 {"{a: {$type: 'array'}}", "{a: []}", "true"},
                 {"{a: {$type: 'null'}}", "{}", "false"},
                 {"{a: {$type: 'text'}}", "{}", "error 2"},
                 {"{a: {$type: 0}}", "{}", "error 2"},
                 {"{a: {$type: []}}", "{}", "error 9"},
                 {"{a: {$type: true}}", "{}", "error 14"}},
}};

}  // namespace
}  // namespace partita::query
