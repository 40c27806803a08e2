// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

/// Blanks, as MongoDB counts them, one behind the other: zero, ASCII's, and Unicode's up to U+200A.
constexpr std::string_view kBlanks(
    "\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", 7 + 2 + 12 * 3);

/// Whether the character at the beginning of `text` is one of those in `set`.
bool is_one_of(std::string_view character, std::string_view set) {
  for (std::size_t at = 0; at < set.size(); at += character_size(set[at]))
    if (set.substr(at, character_size(set[at])) == character) return true;
  return false;
}

std::string_view without_front(std::string_view text, std::string_view set) {
  while (!text.empty() && is_one_of(text.substr(0, character_size(text[0])), set)) text.remove_prefix(character_size(text[0]));
  return text;
}

std::string_view without_back(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && is_continuation(text[begin])) --begin;
    if (!is_one_of(text.substr(begin), set)) break;
    text = text.substr(0, begin);
  }
  return text;
}

enum Sides : std::uint8_t { kFront = 1, kBack = 2, kBoth = 3 };

std::string_view name_of(Sides sides) { return sides == kBoth ? "$trim" : sides == kFront ? "$ltrim" : "$rtrim"; }

template <Sides sides>
Result<Operands> arguments(Value operand) {
  constexpr auto kName = sides;
  if (!operand.is_document())
    return error(Code{50696}, name_of(kName), " only supports an object as an argument, found ", operand.type_name());
  Value input;
  Value characters;
  for (const bson::Field& field : operand.as_document()) {
    if (field.name != "input" && field.name != "chars")
      return error(Code{50694}, name_of(kName), " found an unknown argument: ", field.name);
    (field.name == "input" ? input : characters) = field.value;
  }
  if (input.missing()) return error(Code{50695}, name_of(kName), " requires an 'input' field");
  return Operands(characters.missing() ? std::vector{input} : std::vector{input, characters});
}

template <Sides sides>
Result<Value> trim(Args args, Arena& arena) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_string())
    return error(Code{50699}, name_of(sides), " requires its input to be a string, got ", bson::to_shell(args[0]), " (of type ",
                 args[0].type_name(), ") instead.");
  std::string_view set = kBlanks;
  if (args.size() > 1) {
    if (args[1].is_nullish()) return Value::null();
    if (!args[1].is_string())
      return error(Code{50700}, name_of(sides), " requires 'chars' to be a string, got ", bson::to_shell(args[1]), " (of type ",
                   args[1].type_name(), ") instead.");
    set = args[1].as_string();
  }
  std::string_view text = args[0].as_string();
  if ((sides & kFront) != 0) text = without_front(text, set);
  if ((sides & kBack) != 0) text = without_back(text, set);
  return make_string(text, arena);
}

using Register = RegisterEntry<Expression>;

const Register kTrim{{
    .name = "$trim",
    .min_args = 1,
    .max_args = 2,
    .summary = "A string without the blanks at its ends, or without other characters.",
    .evaluate = trim<kBoth>,
    .arguments = arguments<kBoth>,
    .null_stops = 1,
    .examples = {{"{$trim: {input: '$a'}}", "{a: ' x y '}", "'x y'"},
                 {"{$trim: {input: '$a', chars: 'é-'}}", "{a: '-éxé-'}", "'x'"},
                 {"{$trim: {input: '$a'}}", "{}", "null"},
                 {"{$trim: {input: 5}}", "{}", "error 50699"},
                 {"{$trim: 'x'}", "{}", "error 50696"}},
}};
const Register kLtrim{{
    .name = "$ltrim",
    .min_args = 1,
    .max_args = 2,
    .summary = "The same at the beginning only.",
    .evaluate = trim<kFront>,
    .arguments = arguments<kFront>,
    .null_stops = 1,
    .examples = {{"{$ltrim: {input: '$a'}}", "{a: ' x '}", "'x '"}, {"{$ltrim: {}}", "{}", "error 50695"}},
}};
const Register kRtrim{{
    .name = "$rtrim",
    .min_args = 1,
    .max_args = 2,
    .summary = "The same at the end only.",
    .evaluate = trim<kBack>,
    .arguments = arguments<kBack>,
    .null_stops = 1,
    .examples = {{"{$rtrim: {input: '$a'}}", "{a: ' x '}", "' x'"}, {"{$rtrim: {input: 'x', y: 1}}", "{}", "error 50694"}},
}};

}  // namespace
}  // namespace partita::query
