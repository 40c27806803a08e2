// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bitset>

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

/// Characters to be found without going over them all, for both they and the text may be long.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view characters) {
    while (!characters.empty()) {
      const std::string_view next = characters.substr(0, character_size(characters[0]));
      characters.remove_prefix(next.size());
      if (next.size() == 1) {
        ascii_.set(static_cast<std::uint8_t>(next[0]));
      } else {
        others_.push_back(next);
      }
    }
    std::ranges::sort(others_);
  }
  bool has(std::string_view character) const {
    return character.size() == 1 ? ascii_.test(static_cast<std::uint8_t>(character[0])) : std::ranges::binary_search(others_, character);
  }

 private:
  std::bitset<256> ascii_;
  std::vector<std::string_view> others_;
};

std::string_view without_front(std::string_view text, const CharacterSet& set) {
  while (!text.empty() && set.has(text.substr(0, character_size(text[0])))) text.remove_prefix(character_size(text[0]));
  return text;
}

std::string_view without_back(std::string_view text, const CharacterSet& set) {
  while (!text.empty()) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && is_continuation(text[begin])) --begin;
    if (!set.has(text.substr(begin))) break;
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
  static const CharacterSet kBlankSet(kBlanks);
  std::optional<CharacterSet> given;
  if (args.size() > 1) {
    if (args[1].is_nullish()) return Value::null();
    if (!args[1].is_string())
      return error(Code{50700}, name_of(sides), " requires 'chars' to be a string, got ", bson::to_shell(args[1]), " (of type ",
                   args[1].type_name(), ") instead.");
    given.emplace(args[1].as_string());
  }
  const CharacterSet& set = given ? *given : kBlankSet;
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
