// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"
#include "query/match/whole_number.h"

namespace partita::query {
namespace {

/// What MongoDB shows in explain for filters whose answer is known, and takes back as it was shown.
class AlwaysTrue : public Predicate {
 public:
  bool matches(bson::Value, MatchState&) const override { return true; }
};

template <bool kAnswer>
Result<Clause> parse_always(const OperatorArgs& args) {
  constexpr std::string_view kName = kAnswer ? "$alwaysTrue" : "$alwaysFalse";
  TRY(const std::int64_t one, whole_number({kName, args.operand}));
  if (one != 1) return error(Code::FailedToParse, kName, " must be an integer value of 1");
  return kAnswer ? Clause{.predicate = std::make_unique<AlwaysTrue>()} : Clause{.never = true};
}

using Register = RegisterEntry<FilterOperator>;

const Register kAlwaysTrue{{
    .name = "$alwaysTrue",
    .summary = "Holds for all documents; its value is 1.",
    .parse = parse_always<true>,
    .about = About::kAny,
    .examples = {{"{$alwaysTrue: 1}", "{}", "true"},
                 {"{$nor: [{$alwaysTrue: 1}]}", "{}", "false"},
                 {"{a: {$elemMatch: {$alwaysTrue: 1}}}", "{a: [1]}", "false"},
                 {"{a: {$elemMatch: {$alwaysTrue: 1}}}", "{a: [{}]}", "true"},
                 {"{a: {$alwaysTrue: 1}}", "{a: 1}", "error 2"},
                 {"{$alwaysTrue: 0}", "{}", "error 9"},
                 {"{$alwaysTrue: true}", "{}", "error 9"}},
}};

const Register kAlwaysFalse{{
    .name = "$alwaysFalse",
    .summary = "Holds for no document; its value is 1.",
    .parse = parse_always<false>,
    .about = About::kAny,
    .examples = {{"{$alwaysFalse: 1}", "{}", "false"},
                 {"{$or: [{$alwaysFalse: 1.0}, {a: 1}]}", "{a: 1}", "true"},
                 {"{a: {$elemMatch: {$alwaysFalse: 1}}}", "{a: [{}]}", "false"},
                 {"{$alwaysFalse: 1.5}", "{}", "error 9"},
                 {"{$alwaysFalse: null}", "{}", "error 9"}},
}};

}  // namespace
}  // namespace partita::query
