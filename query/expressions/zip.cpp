// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/interrupt.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

struct Written {
  std::vector<Value> inputs;
  std::vector<Value> defaults;
  bool longest = false;
};

Result<Written> read(Value operand) {
  if (!operand.is_document())
    return error(Code{34460}, "$zip only supports an object as an argument, found ", operand.type_name());
  Written written;
  for (const bson::Field& field : operand.as_document()) {
    if (field.name == "inputs" || field.name == "defaults") {
      const bool inputs = field.name == "inputs";
      if (!field.value.is_array())
        return error(Code{inputs ? 34461 : 34462}, field.name, " must be an array of expressions, found ", field.value.type_name());
      (inputs ? written.inputs : written.defaults) = list_arguments(field.value);
    } else if (field.name != "useLongestLength") {
      return error(Code{34464}, "$zip found an unknown argument: ", field.name);
    } else if (!field.value.is_bool()) {
      return error(Code{34463}, "useLongestLength must be a bool, found ", field.value.type_name());
    } else {
      written.longest = field.value.as_bool();
    }
  }
  if (written.inputs.empty()) return error(Code{34465}, "$zip requires at least one input array");
  if (!written.defaults.empty() && !written.longest)
    return error(Code{34466}, "cannot specify defaults unless useLongestLength is true");
  if (!written.defaults.empty() && written.defaults.size() != written.inputs.size())
    return error(Code{34467}, "defaults and inputs must have the same length");
  return written;
}

/// Whether the longest counts, the inputs, and as many defaults.
Result<Operands> arguments(Value operand) {
  TRY(Written written, read(operand));
  const std::size_t inputs = written.inputs.size();
  Operands operands;
  operands.values.push_back(Value::of(written.longest));
  operands.values.insert(operands.values.end(), written.inputs.begin(), written.inputs.end());
  written.defaults.resize(inputs, Value::null());
  operands.values.insert(operands.values.end(), written.defaults.begin(), written.defaults.end());
  return operands;
}

Result<Value> zip(Args args, Arena& arena) {
  const bool longest = args[0].as_bool();
  const Args inputs = args.subspan(1, args.size() / 2);
  const Args defaults = args.subspan(1 + inputs.size());
  std::size_t length = longest ? 0 : SIZE_MAX;
  std::vector<View::Iterator> at;
  for (const Value& input : inputs) {
    if (input.is_nullish()) return Value::null();
    if (!input.is_array())
      return error(Code{34468}, "$zip found a non-array expression in input: ", bson::to_shell(input));
    const std::size_t size = input.as_document().count();
    length = longest ? std::max(length, size) : std::min(length, size);
    at.push_back(input.as_document().begin());
  }
  std::vector<Value> rows;
  std::vector<Value> row(inputs.size());
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t column = 0; column < inputs.size(); ++column) {
      const bool ended = at[column] == std::default_sentinel;
      row[column] = ended ? defaults[column] : at[column]->value;
      if (!ended) ++at[column];
    }
    CHECK_OK(Interrupt::pass(static_cast<std::int64_t>(inputs.size()) * Interrupt::kCompare));
    TRY(const Value made, make_array(row, arena));
    rows.push_back(made);
  }
  return make_array(rows, arena);
}

const RegisterEntry<Expression> kZip{{
    .name = "$zip",
    .min_args = 3,
    .max_args = Expression::kAnyNumber,
    .summary = "Arrays of the first elements of several arrays, of their second ones, and so on.",
    .evaluate = zip,
    .arguments = arguments,
    .examples = {{"{$zip: {inputs: ['$a', '$b']}}", "{a: [1, 2], b: ['x']}", "[[1, 'x']]"},
                 {"{$zip: {inputs: ['$a', '$b'], useLongestLength: true, defaults: [0, '-']}}", "{a: [1, 2], b: ['x']}",
                  "[[1, 'x'], [2, '-']]"},
                 {"{$zip: {inputs: ['$a']}}", "{}", "null"},
                 {"{$zip: {inputs: []}}", "{}", "error 34465"}},
}};

}  // namespace
}  // namespace partita::query
