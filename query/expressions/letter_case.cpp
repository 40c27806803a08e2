// SPDX-License-Identifier: GPL-3.0-or-later
// Upper and lower case are MongoDB's: of the letters of ASCII alone.
#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"

namespace partita::query {
namespace {

using bson::Value;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

template <char (*change)(char)>
Result<Value> changed(Args args, Arena& arena) {
  TRY(const std::string_view text, text_of(args[0], arena));
  TRY(const UnwrittenString made, unwritten_string(text.size(), arena));
  std::transform(text.begin(), text.end(), made.text, change);
  return made.value;
}

Result<Value> compare(Args args, Arena& arena) {
  TRY(const std::string_view a, text_of(args[0], arena));
  TRY(const std::string_view b, text_of(args[1], arena));
  const auto order = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return static_cast<unsigned char>(upper(x)) <=> static_cast<unsigned char>(upper(y));
  });
  return Value::of(std::int32_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

using Register = RegisterEntry<Expression>;

const Register kToUpper{{
    .name = "$toUpper",
    .summary = "A string with capital letters; only those of ASCII change.",
    .evaluate = changed<upper>,
    .examples = {{"{$toUpper: '$a'}", "{a: 'Abc'}", "'ABC'"}, {"{$toUpper: '$a'}", "{}", "''"}, {"{$toUpper: true}", "{}", "error 16007"}},
}};
const Register kToLower{{
    .name = "$toLower",
    .summary = "A string with small letters; only those of ASCII change.",
    .evaluate = changed<lower>,
    .examples = {{"{$toLower: '$a'}", "{a: 'AbC'}", "'abc'"}, {"{$toLower: 5}", "{}", "'5'"}},
}};
const Register kStrcasecmp{{
    .name = "$strcasecmp",
    .min_args = 2,
    .max_args = 2,
    .summary = "-1, 0 or 1 as one string is less than, equal to or greater than another, whatever their case.",
    .evaluate = compare,
    .examples = {{"{$strcasecmp: ['$a', 'ABC']}", "{a: 'abc'}", "0"}, {"{$strcasecmp: ['a', 'B']}", "{}", "-1"}},
}};

}  // namespace
}  // namespace partita::query
