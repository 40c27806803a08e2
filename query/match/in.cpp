// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/match/operator.h"
#include "wire/bson/compare.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// A sorted set of values and a binary search in it: a million operands cost twenty comparisons a value.
class In : public Predicate {
 public:
  explicit In(std::vector<Value> values) : values_(std::move(values)) {
    auto less = [](Value a, Value b) { return bson::compare(a, b) < 0; };
    if (!std::is_sorted(values_.begin(), values_.end(), less)) std::sort(values_.begin(), values_.end(), less);
    const auto same = std::unique(values_.begin(), values_.end(), [](Value a, Value b) { return bson::equal(a, b); });
    values_.erase(same, values_.end());
    values_.shrink_to_fit();
    for (const Value value : values_) has_null_ |= value.is_null();
  }

  bool matches(Value value, MatchState&) const override {
    if (value.missing()) return has_null_;
    auto less = [](Value a, Value b) { return bson::compare(a, b) < 0; };
    return std::binary_search(values_.begin(), values_.end(), value, less);
  }

 private:
  std::vector<Value> values_;
  bool has_null_ = false;
};

/// Whole numbers are compared without looking at types again and again.
class InWholes : public Predicate {
 public:
  explicit InWholes(std::vector<std::int64_t> values) : values_(std::move(values)) {
    if (!std::is_sorted(values_.begin(), values_.end())) std::sort(values_.begin(), values_.end());
  }
  bool matches(Value value, MatchState&) const override {
    const auto whole = value.exact_int64();
    return whole && std::binary_search(values_.begin(), values_.end(), *whole);
  }

 private:
  std::vector<std::int64_t> values_;
};

Status check_operand(Value value) {
  if (value.is(Type::kUndefined)) return error(Code::BadValue, "InMatchExpression equality cannot be undefined");
  if (value.is(Type::kRegex)) return not_supported("a regular expression inside $in");
  if (value.is_document() && !value.as_document().empty() && value.as_document().begin()->name.starts_with('$'))
    return error(Code::BadValue, "cannot nest $ under $in");
  return {};
}

Result<Clause> parse_list(std::string_view name, Value operand, bool negated) {
  if (!operand.is_array()) return error(Code::BadValue, name, " needs an array");
  const View list = operand.as_document();
  std::vector<Value> values;
  std::vector<std::int64_t> wholes;
  bool only_wholes = true;
  for (auto at = list.begin(); at != list.end(); ++at) {
    CHECK_OK(check_operand(at->value));
    values.push_back(at->value);
    only_wholes &= at->value.is(Type::kInt32) || at->value.is(Type::kInt64);
    if (only_wholes) wholes.push_back(at->value.as_int64());
  }
  if (only_wholes) return Clause{std::make_unique<InWholes>(std::move(wholes)), negated};
  return Clause{std::make_unique<In>(std::move(values)), negated};
}

Result<Clause> parse_in(const OperatorArgs& args) { return parse_list("$in", args.operand, false); }
Result<Clause> parse_nin(const OperatorArgs& args) { return parse_list("$nin", args.operand, true); }

using Register = RegisterEntry<MatchOperator>;

const Register kIn{{
    .name = "$in",
    .summary = "The value, or an element of it, equals one of the operands.",
    .parse = parse_in,
    .bound = Bound::kIn,
    .examples = {{"{a: {$in: [1, 'x']}}", "{a: 'x'}", "true"},
                 {"{a: {$in: [1, 2]}}", "{a: [0, 2.0]}", "true"},
                 {"{a: {$in: [null, 'x']}}", "{}", "true"},
                 {"{a: {$in: []}}", "{a: 1}", "false"},
                 {"{a: {$in: 1}}", "{}", "error 2"},
                 {"{a: {$in: [{$gt: 1}]}}", "{}", "error 2"}},
}};
const Register kNin{{
    .name = "$nin",
    .summary = "Neither the value nor an element of it equals any of the operands.",
    .parse = parse_nin,
    .bound = Bound::kIn,
    .examples = {{"{a: {$nin: [1, 2]}}", "{a: [0, 2]}", "false"}, {"{a: {$nin: [1, 2]}}", "{}", "true"}},
}};

}  // namespace
}  // namespace partita::query
