// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/collation/collator.h"
#include "query/expressions/computed_values.h"
#include "query/expressions/parameters.h"
#include "query/interrupt.h"
#include "query/sort/sort_spec.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

const Parameters kParameters{"$sortArray", Code{2942500}, Code{2942501}, Parameters::Wording::kRequires,
                             {{"input", Code{2942502}}, {"sortBy", Code{2942503}}}};

Status check_order(Value order) {
  if (order.is_document()) {
    const Result<SortSpec> spec = SortSpec::parse(order.as_document());
    if (!spec.ok()) return error(Code{2942505}, code_name(spec.status().code()), ": ", spec.status().message());
    if (spec->empty()) return error(Code{2942505}, "BadValue: The sort pattern is empty when it should be a set of fields.");
    return {};
  }
  if (!order.is_number())
    return error(Code{2942507}, "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields");
  const double direction = *order.to_double();
  return direction == 1 || direction == -1 ? Status() : error(Code{2942506}, "The $sort element value must be either 1 or -1");
}

/// The order is no expression: it stays as it is written, and stands behind the array.
Result<Operands> arguments(Value operand) {
  TRY(const std::vector<Value> given, kParameters.read(operand));
  CHECK_OK(check_order(given[1]));
  Operands operands({given[0]});
  operands.literals.push_back(given[1]);
  return operands;
}

/// Unlike $sort's paths: a name with dots in it is one, arrays are entered by place alone, and count as a whole.
Value key_of(Value element, std::string_view path) {
  Value holder = element;
  while (holder.is_document() || holder.is_array()) {
    const View fields = holder.as_document();
    const Value whole = fields[path];
    const std::size_t dot = path.find('.');
    if (!whole.missing() || dot == std::string_view::npos) return whole.missing() ? Value::null() : whole;
    holder = fields[path.substr(0, dot)];
    path.remove_prefix(dot + 1);
  }
  return Value::null();
}

struct Direction {
  std::string_view path;
  bool descending;
};

std::vector<Direction> directions_of(Value order) {
  if (!order.is_document()) return {{"", *order.to_double() < 0}};
  std::vector<Direction> directions;
  const View fields = order.as_document();
  for (auto at = fields.begin(); at != fields.end(); ++at) directions.push_back({at->name, *at->value.to_double() < 0});
  return directions;
}

Result<Value> sort(Args args, Arena& arena, const Collator* collation) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_array())
    return error(Code{2942504}, "The input argument to $sortArray must be an array, but was of type: ", args[0].type_name());
  const std::vector<Direction> directions = directions_of(args[1]);
  const bool whole = !args[1].is_document();
  const std::span<Value> elements = elements_of(args[0], arena);
  std::vector<Value> keys;
  keys.reserve(elements.size() * directions.size());
  std::vector<std::uint32_t> order(elements.size());
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    order[i] = i;
    for (const Direction& direction : directions)
      keys.push_back(whole ? elements[i] : elements[i].is_document() ? key_of(elements[i], direction.path) : Value::null());
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t i = 0; i < directions.size(); ++i) {
      const auto compared = bson::compare(keys[a * directions.size() + i], keys[b * directions.size() + i], collation);
      if (compared != 0) return directions[i].descending ? compared > 0 : compared < 0;
    }
    return false;
  };
  std::stable_sort(order.begin(), order.end(), stoppable(before));
  CHECK_OK(Interrupt::reason());
  std::vector<Value> sorted;
  sorted.reserve(elements.size());
  for (const std::uint32_t i : order) sorted.push_back(elements[i]);
  return make_array(sorted, arena);
}

const RegisterEntry<Expression> kSortArray{{
    .name = "$sortArray",
    .min_args = 1,
    .max_args = 1,
    .summary = "The elements of an array in order: of the whole values, or of fields in them.",
    .compares = sort,
    .arguments = arguments,
    .examples = {{"{$sortArray: {input: '$a', sortBy: 1}}", "{a: [3, 1, 2]}", "[1, 2, 3]"},
                 {"{$sortArray: {input: '$a', sortBy: {x: -1}}}", "{a: [{x: 1}, {x: 2}, 5]}", "[{x: 2}, {x: 1}, 5]"},
                 {"{$sortArray: {input: '$a', sortBy: 1}}", "{}", "null"},
                 {"{$sortArray: {input: 1, sortBy: 1}}", "{}", "error 2942504"},
                 {"{$sortArray: {input: [], sortBy: 2}}", "{}", "error 2942506"}},
}};

}  // namespace
}  // namespace partita::query
