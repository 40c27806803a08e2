// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/numeric.h"
#include "query/expressions/text_values.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> split(Args args, Arena& arena) {
  if (any_nullish(args)) return Value::null();
  if (!args[0].is_string())
    return error(Code{40085}, "$split requires an expression that evaluates to a string as a first argument, found: ",
                 args[0].type_name());
  if (!args[1].is_string())
    return error(Code{40086}, "$split requires an expression that evaluates to a string as a second argument, found: ",
                 args[1].type_name());
  std::string_view text = args[0].as_string();
  const std::string_view separator = args[1].as_string();
  if (separator.empty()) return error(Code{40087}, "$split requires a non-empty separator");
  std::vector<Value> parts;
  while (true) {
    const std::size_t end = find_text(text, separator);
    TRY(const Value part, make_string(text.substr(0, end), arena));
    parts.push_back(part);
    if (end == std::string_view::npos) return make_array(parts, arena);
    text.remove_prefix(end + separator.size());
  }
}

const RegisterEntry<Expression> kSplit{{
    .name = "$split",
    .min_args = 2,
    .max_args = 2,
    .summary = "The parts of a string between separators.",
    .evaluate = split,
    .examples = {{"{$split: ['$a', '-']}", "{a: 'x-y--z'}", "['x', 'y', '', 'z']"},
                 {"{$split: ['$a', '-']}", "{}", "null"},
                 {"{$split: ['$a', '']}", "{a: 'x'}", "error 40087"},
                 {"{$split: [1, '-']}", "{}", "error 40085"}},
}};

}  // namespace
}  // namespace partita::query
