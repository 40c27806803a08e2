// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays as sets: values that compare equal are one, of whatever type.
#include <algorithm>

#include "query/collation/collator.h"
#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/literals.h"
#include "query/interrupt.h"

namespace partita::query {
namespace {

using bson::Value;
using Set = std::span<Value>;

struct Less {
  const Collator* collation;
  bool operator()(const Value& a, const Value& b) const { return bson::compare(a, b, collation) < 0; }
};
struct Same {
  const Collator* collation;
  bool operator()(const Value& a, const Value& b) const { return bson::equal(a, b, collation); }
};

/// In order; of equal values the first one stays.
Result<Set> as_set(Set values, const Collator* collation) {
  std::stable_sort(values.begin(), values.end(), stoppable(Less{collation}));
  CHECK_OK(Interrupt::reason());
  const auto end = std::unique(values.begin(), values.end(), Same{collation});
  return values.first(static_cast<std::size_t>(end - values.begin()));
}
Result<Set> set_of(Value array, Arena& arena, const Collator* collation) { return as_set(elements_of(array, arena), collation); }
/// What the search for one value in a set counts, about.
constexpr std::int64_t kSearch = 16 * Interrupt::kCompare;
bool has(Set set, const Value& value, const Collator* collation) {
  return std::binary_search(set.begin(), set.end(), value, Less{collation});
}

Status too_few(std::size_t count) { return error(Code{17045}, "$setEquals needs at least two arguments had: ", count); }

/// Constants are looked at before anything is computed, and have a code of their own.
Result<Operands> equals_arguments(Value operand) {
  Operands operands(list_arguments(operand));
  for (std::size_t i = 0; operands.values.size() > 1 && i < operands.values.size(); ++i) {
    const auto constant = literal(operands.values[i]);
    if (constant && !constant->is_array())
      return error(Code{5887502}, "All operands of $setEquals must be arrays. ", i + 1, "-th argument is of type: ", constant->type_name());
  }
  return operands;
}

Result<Value> equals(Args args, Arena& arena, const Collator* collation) {
  Set first;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_array())
      return error(Code{17044}, "All operands of $setEquals must be arrays. ", i + 1, "-th argument is of type: ", args[i].type_name());
    TRY(const Set set, set_of(args[i], arena, collation));
    if (i == 0) first = set;
    if (!std::equal(first.begin(), first.end(), set.begin(), set.end(), Same{collation})) return Value::of(false);
  }
  return Value::of(true);
}

/// Constants come last, as MongoDB puts them: what is missing is seen before what is no array.
Result<Operands> constants_last(Value operand) {
  Operands operands(list_arguments(operand));
  std::stable_partition(operands.values.begin(), operands.values.end(), [](Value value) { return !literal(value); });
  return operands;
}

Result<Value> intersection(Args args, Arena& arena, const Collator* collation) {
  Set common;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].is_nullish()) return Value::null();
    if (!args[i].is_array())
      return error(Code{17047}, "All operands of $setIntersection must be arrays. One argument is of type: ", args[i].type_name());
    TRY(Set next, set_of(args[i], arena, collation));
    if (i == 0) {
      common = next;
      continue;
    }
    if (common.size() > next.size()) std::swap(common, next);  // As in MongoDB, the smaller set's values are answered.
    CHECK_OK(Interrupt::pass(static_cast<std::int64_t>(common.size()) * kSearch));
    const auto end = std::remove_if(common.begin(), common.end(), [&](const Value& value) { return !has(next, value, collation); });
    common = common.first(static_cast<std::size_t>(end - common.begin()));
  }
  return make_array(common, arena);
}

Result<Value> set_union(Args args, Arena& arena, const Collator* collation) {
  std::vector<Value> all;
  for (const Value& arg : args) {
    if (arg.is_nullish()) return Value::null();
    if (!arg.is_array())
      return error(Code{17043}, "All operands of $setUnion must be arrays. One argument is of type: ", arg.type_name());
    for (const bson::Field& element : arg.as_document()) all.push_back(element.value);
  }
  TRY(const Set set, as_set(all, collation));
  return make_array(set, arena);
}

Status not_arrays(std::string_view name, Code first, Code second, Args args) {
  const bool is_first = !args[0].is_array();
  return error(is_first ? first : second, "both operands of ", name, " must be arrays. ", is_first ? "First" : "Second",
               " argument is of type: ", args[is_first ? 0 : 1].type_name());
}

/// In the order of the first array.
Result<Value> difference(Args args, Arena& arena, const Collator* collation) {
  if (args[0].is_nullish() || args[1].is_nullish()) return Value::null();
  if (!args[0].is_array() || !args[1].is_array()) return not_arrays("$setDifference", Code{17048}, Code{17049}, args);
  TRY(const Set without, set_of(args[1], arena, collation));
  const Set all = elements_of(args[0], arena);
  TRY(const Set set, set_of(args[0], arena, collation));
  std::vector<bool> taken(set.size());
  std::vector<Value> left;
  for (const Value& value : all) {
    CHECK_OK(Interrupt::pass(kSearch));
    if (has(without, value, collation)) continue;
    const auto place = static_cast<std::size_t>(std::lower_bound(set.begin(), set.end(), value, Less{collation}) - set.begin());
    if (!taken[place]) left.push_back(value);
    taken[place] = true;
  }
  return make_array(left, arena);
}

Result<Value> is_subset(Args args, Arena& arena, const Collator* collation) {
  if (!args[0].is_array() || !args[1].is_array()) return not_arrays("$setIsSubset", Code{17046}, Code{17042}, args);
  TRY(const Set of, set_of(args[1], arena, collation));
  for (const bson::Field& element : args[0].as_document()) {
    CHECK_OK(Interrupt::pass(kSearch));
    if (!has(of, element.value, collation)) return Value::of(false);
  }
  return Value::of(true);
}

Result<Value> any_true(Args args, Arena&) {
  if (!args[0].is_array()) return error(Code{17041}, "$anyElementTrue's argument must be an array, but is ", args[0].type_name());
  for (const bson::Field& element : args[0].as_document())
    if (element.value.truthy()) return Value::of(true);
  return Value::of(false);
}

Result<Value> all_true(Args args, Arena&) {
  if (!args[0].is_array()) return error(Code{17040}, "$allElementsTrue's argument must be an array, but is ", args[0].type_name());
  for (const bson::Field& element : args[0].as_document())
    if (!element.value.truthy()) return Value::of(false);
  return Value::of(true);
}

using Register = RegisterEntry<Expression>;

const Register kSetEquals{{
    .name = "$setEquals",
    .min_args = 2,
    .max_args = Expression::kAnyNumber,
    .summary = "Whether arrays hold the same values, however often and in whatever order.",
    .compares = equals,
    .arguments = equals_arguments,
    .wrong_count = too_few,
    .examples = {{"{$setEquals: ['$a', [1, 2]]}", "{a: [2, 1, 1]}", "true"},
                 {"{$setEquals: [[1]]}", "{}", "error 17045"},
                 {"{$setEquals: ['$a', [1]]}", "{}", "error 17044"}},
}};
const Register kSetIntersection{{
    .name = "$setIntersection",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The values that all arrays hold, each once and in order.",
    .compares = intersection,
    .arguments = constants_last,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$setIntersection: ['$a', [1, 2]]}", "{a: [3, 2, 1, 1]}", "[1, 2]"},
                 {"{$setIntersection: ['$a', [1]]}", "{}", "null"},
                 {"{$setIntersection: ['$a', [1]]}", "{a: 1}", "error 17047"}},
}};
const Register kSetUnion{{
    .name = "$setUnion",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The values that any of the arrays holds, each once and in order.",
    .compares = set_union,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$setUnion: ['$a', [1, 2]]}", "{a: [3, 1, 1]}", "[1, 2, 3]"}, {"{$setUnion: ['$a', [1]]}", "{a: 1}", "error 17043"}},
}};
const Register kSetDifference{{
    .name = "$setDifference",
    .min_args = 2,
    .max_args = 2,
    .summary = "The values of the first array that the second does not hold.",
    .compares = difference,
    .examples = {{"{$setDifference: ['$a', [1]]}", "{a: [3, 1, 2, 3]}", "[3, 2]"}, {"{$setDifference: [1, []]}", "{}", "error 17048"}},
}};
const Register kSetIsSubset{{
    .name = "$setIsSubset",
    .min_args = 2,
    .max_args = 2,
    .summary = "Whether the second array holds all values of the first.",
    .compares = is_subset,
    .examples = {{"{$setIsSubset: ['$a', [1, 2]]}", "{a: [1, 1]}", "true"}, {"{$setIsSubset: [[], 1]}", "{}", "error 17042"}},
}};
const Register kAnyElementTrue{{
    .name = "$anyElementTrue",
    .summary = "Whether an element of an array is true.",
    .evaluate = any_true,
    .examples = {{"{$anyElementTrue: ['$a']}", "{a: [0, 1]}", "true"}, {"{$anyElementTrue: ['$a']}", "{}", "error 17041"}},
}};
const Register kAllElementsTrue{{
    .name = "$allElementsTrue",
    .summary = "Whether all elements of an array are true.",
    .evaluate = all_true,
    .examples = {{"{$allElementsTrue: ['$a']}", "{a: [0, 1]}", "false"}, {"{$allElementsTrue: [[]]}", "{}", "true"}, {"{$allElementsTrue: 1}", "{}", "error 17040"}},
}};

}  // namespace
}  // namespace partita::query
