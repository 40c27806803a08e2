// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/expressions/lazy_code.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

constexpr int kElse = 0;
constexpr int kEnd = 1;

void between_cond(LazyCode& code, std::size_t argument, std::size_t) {
  if (argument == 1) code.jump_if_false(kElse);
  if (argument == 2) {
    code.jump(kEnd);
    code.bind(kElse);
  }
  if (argument == 3) code.bind(kEnd);
}

/// {if: ..., then: ..., else: ...}
Result<Operands> cond_arguments(Value operand) {
  constexpr std::string_view kNames[] = {"if", "then", "else"};
  if (!operand.is_document()) return Operands(list_arguments(operand));
  const View named = operand.as_document();
  std::vector<Value> arguments(3);
  for (auto at = named.begin(); at != named.end(); ++at) {
    const auto* found = std::find(std::begin(kNames), std::end(kNames), at->name);
    if (found == std::end(kNames)) return error(Code{17083}, "Unrecognized parameter to $cond: ", at->name);
    arguments[static_cast<std::size_t>(found - kNames)] = at->value;
  }
  for (int i = 0; i < 3; ++i)
    if (arguments[i].missing()) return error(Code{17080 + i}, "Missing '", kNames[i], "' parameter to $cond");
  return Operands(std::move(arguments));
}

void between_if_null(LazyCode& code, std::size_t argument, std::size_t count) {
  argument < count ? code.jump_if_present(kEnd) : code.bind(kEnd);
}

Status if_null_count(std::size_t count) {
  return error(Code{1257300}, "$ifNull needs at least two arguments, had: ", count);
}

/// The branches' cases and results in turn, then the default; an odd number of arguments has one.
void between_switch(LazyCode& code, std::size_t argument, std::size_t count) {
  const int next_branch = static_cast<int>(argument / 2) + 2;
  const bool has_default = count % 2 == 1;
  if (has_default && argument == count) return code.bind(kEnd);
  if (argument % 2 == 1) return code.jump_if_false(next_branch + 1);
  code.jump(kEnd);
  code.bind(next_branch);
  if (argument < count) return;
  code.fail(error(Code{40066}, "$switch could not find a matching branch for an input, and no default was specified."));
  code.bind(kEnd);
}

Status add_branch(Value branch, std::vector<Value>& arguments) {
  if (!branch.is_document())
    return error(Code{40062}, "$switch expected each branch to be an object, found: ", branch.type_name());
  const View named = branch.as_document();
  for (auto at = named.begin(); at != named.end(); ++at)
    if (at->name != "case" && at->name != "then")
      return error(Code{40063}, "$switch found an unknown argument to a branch: ", at->name);
  if (!named.has("case")) return error(Code{40064}, "$switch requires each branch have a 'case' expression");
  if (!named.has("then")) return error(Code{40065}, "$switch requires each branch have a 'then' expression.");
  arguments.push_back(named["case"]);
  arguments.push_back(named["then"]);
  return {};
}

Result<Operands> switch_arguments(Value operand) {
  if (!operand.is_document())
    return error(Code{40060}, "$switch requires an object as an argument, found: ", operand.type_name());
  const View named = operand.as_document();
  std::vector<Value> arguments;
  Value otherwise;
  for (auto at = named.begin(); at != named.end(); ++at) {
    if (at->name == "default") {
      otherwise = at->value;
    } else if (at->name != "branches") {
      return error(Code{40067}, "$switch found an unknown argument: ", at->name);
    } else if (!at->value.is_array()) {
      return error(Code{40061}, "$switch expected an array for 'branches', found: ", at->value.type_name());
    } else {
      const View branches = at->value.as_document();
      for (auto branch = branches.begin(); branch != branches.end(); ++branch)
        CHECK_OK(add_branch(branch->value, arguments));
    }
  }
  if (arguments.empty()) return error(Code{40068}, "$switch requires at least one branch");
  if (!otherwise.missing()) arguments.push_back(otherwise);
  return Operands(std::move(arguments));
}

using Register = RegisterEntry<Expression>;

const Register kCond{{
    .name = "$cond",
    .min_args = 3,
    .max_args = 3,
    .summary = "The second argument if the first is true, the third otherwise; the other one is not evaluated.",
    .between = between_cond,
    .arguments = cond_arguments,
    .examples = {{"{$cond: ['$a', 'yes', 'no']}", "{a: 1}", "'yes'"},
                 {"{$cond: {if: '$a', then: 'yes', else: {$add: ['$b', 1]}}}", "{b: 1}", "2"},
                 {"{$cond: {if: '$a', then: 1}}", "{}", "error 17082"}},
}};
const Register kIfNull{{
    .name = "$ifNull",
    .min_args = 2,
    .max_args = Expression::kAnyNumber,
    .summary = "The first argument that is neither null nor missing; the last one if all before it are.",
    .between = between_if_null,
    .wrong_count = if_null_count,
    .examples = {{"{$ifNull: ['$a', '$b', 3]}", "{a: null}", "3"},
                 {"{$ifNull: ['$a', 3]}", "{a: 0}", "0"},
                 {"{$ifNull: ['$a']}", "{}", "error 1257300"}},
}};
const Register kSwitch{{
    .name = "$switch",
    .min_args = 1,
    .max_args = Expression::kAnyNumber,
    .summary = "The result of the first branch whose case is true, the default otherwise.",
    .between = between_switch,
    .arguments = switch_arguments,
    .examples = {{"{$switch: {branches: [{case: {$gt: ['$a', 5]}, then: 'big'}, {case: '$a', then: 'small'}],"
                  " default: 'none'}}",
                  "{a: 3}", "'small'"},
                 {"{$switch: {branches: [{case: '$a', then: 1}], default: 2}}", "{}", "2"},
                 {"{$switch: {branches: [{case: '$a', then: 1}]}}", "{}", "error 40066"},
                 {"{$switch: {branches: []}}", "{}", "error 40068"}},
}};

}  // namespace
}  // namespace partita::query
