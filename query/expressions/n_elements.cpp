// SPDX-License-Identifier: GPL-3.0-or-later
// $firstN, $lastN, $minN and $maxN of an array.
#include <algorithm>

#include "query/collation/collator.h"
#include "query/expressions/computed_values.h"
#include "query/expressions/numeric.h"
#include "query/interrupt.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

enum class Which : std::uint8_t { kFirst, kLast, kLeast, kGreatest };

template <Which which>
Result<Operands> arguments(Value operand) {
  constexpr std::string_view kNames[] = {"$firstN", "$lastN", "$minN", "$maxN"};
  constexpr bool kByPlace = which == Which::kFirst || which == Which::kLast;
  if (!operand.is_document())
    return error(Code{kByPlace ? 5787801 : 5787900}, "specification must be an object; found ",
                 kNames[static_cast<int>(which)], ": ", bson::to_shell(operand));
  Value n;
  Value input;
  for (const bson::Field& field : operand.as_document()) {
    if (field.name != "n" && field.name != "input")
      return error(Code{5787901}, "Unknown argument for 'n' operator: ", field.name);
    (field.name == "n" ? n : input) = field.value;
  }
  if (n.missing()) return error(Code{5787906}, "Missing value for 'n'");
  if (input.missing()) return error(Code{5787907}, "Missing value for 'input'");
  return Operands({n, input});
}

Result<std::size_t> how_many(Value n) {
  if (!n.is_number()) return error(Code{5787902}, "Value for 'n' must be of integral type, but found ", bson::to_shell(n));
  CHECK_OK(coerce_long(n));
  const auto whole = n.exact_int64();
  if (!whole) return error(Code{5787903}, "Value for 'n' must be of integral type, but found ", bson::to_shell(n));
  if (*whole <= 0) return error(Code{5787908}, "'n' must be greater than 0, found ", *whole);
  return static_cast<std::size_t>(*whole);
}

/// Null and missing values do not take part; of equal ones those that come first.
Result<std::span<Value>> extreme(std::span<Value> elements, std::size_t count, bool least, const Collator* collation) {
  const auto end = std::remove_if(elements.begin(), elements.end(), [](const Value& value) { return value.is_nullish(); });
  elements = elements.first(static_cast<std::size_t>(end - elements.begin()));
  const auto before = [=](const Value& a, const Value& b) { return bson::compare(least ? a : b, least ? b : a, collation) < 0; };
  std::stable_sort(elements.begin(), elements.end(), stoppable(before));
  CHECK_OK(Interrupt::reason());
  return elements.first(std::min(count, elements.size()));
}

template <Which which>
Result<Value> evaluate(Args args, Arena& arena, const Collator* collation) {
  TRY(const std::size_t asked, how_many(args[0]));
  if (!args[1].is_array()) return error(Code{5788200}, "Input must be an array");
  const std::span<Value> elements = elements_of(args[1], arena);
  const std::size_t count = std::min(asked, elements.size());
  switch (which) {
    case Which::kFirst:
      return make_array(elements.first(count), arena);
    case Which::kLast:
      return make_array(elements.last(count), arena);
    default: {
      TRY(const std::span<Value> most, extreme(elements, count, which == Which::kLeast, collation));
      return make_array(most, arena);
    }
  }
}

using Register = RegisterEntry<Expression>;

const Register kFirstN{{
    .name = "$firstN",
    .min_args = 2,
    .max_args = 2,
    .summary = "The first n elements of an array.",
    .compares = evaluate<Which::kFirst>,
    .arguments = arguments<Which::kFirst>,
    .examples = {{"{$firstN: {n: 2, input: '$a'}}", "{a: [3, 1, 2]}", "[3, 1]"},
                 {"{$firstN: {n: 0, input: '$a'}}", "{a: []}", "error 5787908"},
                 {"{$firstN: {n: 1, input: '$a'}}", "{}", "error 5788200"}},
}};
const Register kLastN{{
    .name = "$lastN",
    .min_args = 2,
    .max_args = 2,
    .summary = "The last n elements of an array.",
    .compares = evaluate<Which::kLast>,
    .arguments = arguments<Which::kLast>,
    .examples = {{"{$lastN: {n: 2, input: '$a'}}", "{a: [3, 1, 2]}", "[1, 2]"}, {"{$lastN: 1}", "{}", "error 5787801"}},
}};
const Register kMinN{{
    .name = "$minN",
    .min_args = 2,
    .max_args = 2,
    .summary = "The n least elements of an array, in order.",
    .compares = evaluate<Which::kLeast>,
    .arguments = arguments<Which::kLeast>,
    .examples = {{"{$minN: {n: 2, input: '$a'}}", "{a: [3, null, 1, 2]}", "[1, 2]"}, {"{$minN: {n: 1}}", "{}", "error 5787907"}},
}};
const Register kMaxN{{
    .name = "$maxN",
    .min_args = 2,
    .max_args = 2,
    .summary = "The n greatest elements of an array, the greatest first.",
    .compares = evaluate<Which::kGreatest>,
    .arguments = arguments<Which::kGreatest>,
    .examples = {{"{$maxN: {n: 2, input: '$a'}}", "{a: [3, null, 1, 2]}", "[3, 2]"}, {"{$maxN: {n: 'x', input: [1]}}", "{}", "error 5787902"}},
}};

}  // namespace
}  // namespace partita::query
