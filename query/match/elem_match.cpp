// SPDX-License-Identifier: GPL-3.0-or-later
// What stands within is the parser's to read: see Holds.
#include "query/match/operator.h"

namespace partita::query {
namespace {

Result<Clause> check_element(const OperatorArgs& args) {
  if (!args.operand.is_document()) return error(Code::BadValue, "$elemMatch needs an Object");
  return Clause{};
}

Result<Clause> check_all(const OperatorArgs& args) {
  if (!args.operand.is_array()) return error(Code::BadValue, "$all needs an array");
  return Clause{};
}

using Register = RegisterEntry<MatchOperator>;

const Register kElemMatch{{
    .name = "$elemMatch",
    .summary = "One element of the array satisfies all of these conditions.",
    .parse = check_element,
    .holds = Holds::kElement,
    .examples = {{"{a: {$elemMatch: {$gt: 1, $lt: 5}}}", "{a: [0, 7]}", "false"},
                 {"{a: {$elemMatch: {$gt: 1, $lt: 5}}}", "{a: [0, 3]}", "true"},
                 {"{a: {$elemMatch: {$gt: 1}}}", "{a: 3}", "false"},
                 {"{a: {$elemMatch: {b: 1, c: 2}}}", "{a: [{b: 1}, {c: 2}]}", "false"},
                 {"{a: {$elemMatch: {b: 1, c: 2}}}", "{a: [7, {b: [0, 1], c: 2}]}", "true"},
                 {"{a: {$elemMatch: {$or: [{b: 1}, {c: 1}]}}}", "{a: [{c: 1}]}", "true"},
                 {"{a: {$elemMatch: {$elemMatch: {$eq: 1}}}}", "{a: [[0, 1]]}", "true"},
                 {"{a: {$elemMatch: 1}}", "{}", "error 2"}},
}};
const Register kAll{{
    .name = "$all",
    .summary = "The value has each of these among its elements, or is the only one asked for.",
    .parse = check_all,
    .holds = Holds::kAll,
    .examples = {{"{a: {$all: [1, 2]}}", "{a: [2, 3, 1]}", "true"},
                 {"{a: {$all: [1, 2]}}", "{a: [1, 3]}", "false"},
                 {"{a: {$all: [1]}}", "{a: 1}", "true"},
                 {"{a: {$all: []}}", "{a: []}", "false"},
                 {"{a: {$all: [{$elemMatch: {b: 1}}, {$elemMatch: {b: 2}}]}}", "{a: [{b: 1}, {b: 2}]}", "true"},
                 {"{a: {$all: [{$gt: 1}]}}", "{}", "error 2"},
                 {"{a: {$all: 1}}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
