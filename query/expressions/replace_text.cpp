// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/expressions/parameters.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kOne{"$replaceOne", Code{51751}, Code{51750}, Parameters::Wording::kRequires,
                      {{"input", Code{51749}}, {"find", Code{51748}}, {"replacement", Code{51747}}}};
const Parameters kAll{"$replaceAll", Code{51751}, Code{51750}, Parameters::Wording::kRequires,
                      {{"input", Code{51749}}, {"find", Code{51748}}, {"replacement", Code{51747}}}};

template <const Parameters& parameters>
Result<Operands> arguments(Value operand) {
  TRY(std::vector<Value> given, parameters.read(operand));
  return Operands(std::move(given));
}

Status check(std::string_view op, Args args) {
  constexpr std::string_view kNames[] = {"input", "find", "replacement"};
  for (int i = 0; i < 3; ++i)
    if (!args[i].is_string() && !args[i].is_nullish())
      return error(Code{51746 - i}, op, " requires that '", kNames[i], "' be a string, found: ", bson::to_shell(args[i]));
  return {};
}

/// How often it is found, one behind the other. An empty text stands before each byte, and at the end.
std::size_t count(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return text.size() + 1;
  std::size_t found = 0;
  for (std::size_t at = find_text(text, wanted); at != std::string_view::npos; at = find_text(text, wanted, at + wanted.size())) ++found;
  return found;
}

template <const Parameters& parameters, std::size_t most>
Result<Value> replace(Args args, Arena& arena) {
  CHECK_OK(check(parameters.op, args));
  for (const Value& value : args)
    if (value.is_nullish()) return Value::null();
  const std::string_view text = args[0].as_string();
  const std::string_view wanted = args[1].as_string();
  const std::string_view replacement = args[2].as_string();
  std::size_t left = std::min(count(text, wanted), most);
  if (left == 0) return args[0];
  TRY(const UnwrittenString made, unwritten_string(text.size() - left * wanted.size() + left * replacement.size(), arena));
  char* to = made.text;
  std::size_t at = 0;
  for (; left > 0; --left) {
    const std::size_t found = find_text(text, wanted, at);
    to += text.substr(at, found - at).copy(to, std::string_view::npos);
    to += replacement.copy(to, std::string_view::npos);
    at = found + wanted.size();
    if (wanted.empty() && at < text.size()) *to++ = text[at++];
  }
  text.substr(std::min(at, text.size())).copy(to, std::string_view::npos);
  return made.value;
}

using Register = RegisterEntry<Expression>;

const Register kReplaceOne{{
    .name = "$replaceOne",
    .min_args = 3,
    .max_args = 3,
    .summary = "A string in which the first occurrence of another is replaced.",
    .evaluate = replace<kOne, 1>,
    .arguments = arguments<kOne>,
    .examples = {{"{$replaceOne: {input: '$a', find: 'x', replacement: 'yy'}}", "{a: 'axbx'}", "'ayybx'"},
                 {"{$replaceOne: {input: '$a', find: 'x', replacement: 'y'}}", "{}", "null"},
                 {"{$replaceOne: {input: 'a', find: 1, replacement: 'y'}}", "{}", "error 51745"},
                 {"{$replaceOne: {input: 'a', find: 'x'}}", "{}", "error 51747"}},
}};
const Register kReplaceAll{{
    .name = "$replaceAll",
    .min_args = 3,
    .max_args = 3,
    .summary = "A string in which all occurrences of another are replaced.",
    .evaluate = replace<kAll, SIZE_MAX>,
    .arguments = arguments<kAll>,
    .examples = {{"{$replaceAll: {input: '$a', find: 'x', replacement: 'yy'}}", "{a: 'axbx'}", "'ayybyy'"},
                 {"{$replaceAll: {input: 'ab', find: '', replacement: '-'}}", "{}", "'-a-b-'"},
                 {"{$replaceAll: 1}", "{}", "error 51751"}},
}};

}  // namespace
}  // namespace partita::query
