// SPDX-License-Identifier: GPL-3.0-or-later
// $indexOfBytes, $indexOfCP and $indexOfArray: where something is found first, from one place on and before another.
#include "query/collation/collator.h"
#include "query/expressions/expression.h"
#include "query/expressions/literals.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

/// The third argument and the fourth.
struct Span {
  std::size_t begin = 0;
  std::size_t end = SIZE_MAX;
};

Result<std::size_t> place(std::string_view name, Value value, std::string_view which) {
  const auto whole = exact_int32(value);
  if (!whole)
    return error(Code{40096}, name, "requires an integral ", which, " index, found a value of type: ", value.type_name(),
                 ", with value: ", bson::to_shell(value));
  if (*whole < 0) return error(Code{40097}, name, " requires a nonnegative ", which, " index, found: ", *whole);
  return static_cast<std::size_t>(*whole);
}

Result<Span> span_of(std::string_view name, Args args) {
  Span span;
  if (args.size() > 2) {
    TRY(span.begin, place(name, args[2], "starting"));
  }
  if (args.size() > 3) {
    TRY(span.end, place(name, args[3], "ending"));
  }
  return span;
}

Value found_at(std::size_t index) { return Value::of(static_cast<std::int32_t>(index)); }
Value not_found() { return Value::of(std::int32_t{-1}); }

Status check_texts(std::string_view name, Code first, Args args) {
  if (!args[0].is_string())
    return error(first, name, " requires a string as the first argument, found: ", args[0].type_name());
  if (!args[1].is_string())
    return error(Code{static_cast<std::int32_t>(first) + 1}, name, " requires a string as the second argument, found: ",
                 args[1].type_name());
  return {};
}

Result<Value> of_bytes(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  CHECK_OK(check_texts("$indexOfBytes", Code{40091}, args));
  TRY(const Span span, span_of("$indexOfBytes", args));
  const std::string_view text = args[0].as_string();
  if (span.begin > text.size() || span.end < span.begin) return not_found();
  const std::size_t found = find_text(text.substr(0, span.end), args[1].as_string(), span.begin);
  return found == std::string_view::npos ? not_found() : found_at(found);
}

Result<Value> of_characters(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  CHECK_OK(check_texts("$indexOfCP", Code{40093}, args));
  TRY(const Span span, span_of("$indexOfCP", args));
  const std::string_view text = args[0].as_string();
  if (span.end < span.begin) return not_found();
  const std::size_t begin = offset_of_character(text, span.begin);
  const std::size_t end = span.end == SIZE_MAX ? text.size() : offset_of_character(text, span.end);
  if (begin == text.size() && count_characters(text) < span.begin) return not_found();
  if (end < begin) return not_found();
  const std::size_t found = find_text(text.substr(0, end), args[1].as_string(), begin);
  return found == std::string_view::npos ? not_found() : found_at(count_characters(text.substr(0, found)));
}

/// MongoDB looks at a constant that is searched before anything is computed, unless everything is constant: then it computes.
Result<Operands> of_array_arguments(Value operand) {
  std::vector<Value> list = list_arguments(operand);
  const auto array = list.empty() ? std::nullopt : literal(list.front());
  const bool is_known = std::all_of(list.begin(), list.end(), [](Value value) { return literal(value).has_value(); });
  if (array && !is_known && !array->is_array() && !array->is_nullish())
    return error(Code{50809}, "First operand of $indexOfArray must be an array. First argument is of type: ", array->type_name());
  return Operands(std::move(list));
}

Result<Value> of_array(Args args, Arena&, const Collator* collation) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_array())
    return error(Code{40090}, "$indexOfArray requires an array as a first argument, found: ", args[0].type_name());
  TRY(const Span span, span_of("$indexOfArray", args));
  std::size_t index = 0;
  for (const bson::Field& element : args[0].as_document()) {
    if (index >= span.end) break;
    if (index >= span.begin && bson::equal(element.value, args[1], collation)) return found_at(index);
    ++index;
  }
  return not_found();
}

using Register = RegisterEntry<Expression>;

const Register kIndexOfBytes{{
    .name = "$indexOfBytes",
    .min_args = 2,
    .max_args = 4,
    .summary = "Where a string stands first in another, in bytes; -1 if nowhere.",
    .evaluate = of_bytes,
    .null_stops = 1,
    .examples = {{"{$indexOfBytes: ['$a', 'l']}", "{a: 'héllo'}", "3"},
                 {"{$indexOfBytes: ['$a', 'l', 4]}", "{a: 'hello'}", "-1"},
                 {"{$indexOfBytes: ['$a', 'l']}", "{}", "null"},
                 {"{$indexOfBytes: [1, 'l']}", "{}", "error 40091"},
                 {"{$indexOfBytes: ['x', 'l', -1]}", "{}", "error 40097"}},
}};
const Register kIndexOfCP{{
    .name = "$indexOfCP",
    .min_args = 2,
    .max_args = 4,
    .summary = "Where a string stands first in another, in characters; -1 if nowhere.",
    .evaluate = of_characters,
    .null_stops = 1,
    .examples = {{"{$indexOfCP: ['$a', 'l']}", "{a: 'héllo'}", "2"},
                 {"{$indexOfCP: ['$a', 'l', 0, 2]}", "{a: 'héllo'}", "-1"},
                 {"{$indexOfCP: ['x', 1]}", "{}", "error 40094"}},
}};
const Register kIndexOfArray{{
    .name = "$indexOfArray",
    .min_args = 2,
    .max_args = 4,
    .summary = "Where a value stands first in an array; -1 if nowhere.",
    .compares = of_array,
    .arguments = of_array_arguments,
    .null_stops = 1,
    .examples = {{"{$indexOfArray: ['$a', 2]}", "{a: [1, 2.0, 2]}", "1"},
                 {"{$indexOfArray: ['$a', 2, 1, 2]}", "{a: [2, 1, 2]}", "-1"},
                 {"{$indexOfArray: [1, 2]}", "{}", "error 40090"}},
}};

}  // namespace
}  // namespace partita::query
