// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/numeric.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> by_bytes(Args args, Arena& arena) {
  TRY(const std::string_view text, text_of(args[0], arena));
  if (!args[1].is_number())
    return error(Code{16034}, "$substrBytes:  starting index must be a numeric type (is BSON type ", args[1].type_name(), ")");
  if (!args[2].is_number())
    return error(Code{16035}, "$substrBytes:  length must be a numeric type (is BSON type ", args[2].type_name(), ")");
  TRY(const std::int64_t first, coerce_long(args[1]));
  if (first < 0) return error(Code{50752}, "$substrBytes:  starting index must be non-negative (got: ", first, ")");
  TRY(const std::int64_t asked, coerce_long(args[2]));
  const auto begin = static_cast<std::size_t>(first);
  const std::size_t length = asked < 0 ? std::string_view::npos : static_cast<std::size_t>(asked);
  if (begin < text.size() && is_continuation(text[begin]))
    return error(Code{28656}, "$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.");
  if (begin >= text.size()) return make_string("", arena);
  const std::string_view cut = text.substr(begin, length);
  if (begin + cut.size() < text.size() && is_continuation(text[begin + cut.size()]))
    return error(Code{28657}, "$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.");
  return make_string(cut, arena);
}

Result<Value> by_characters(Args args, Arena& arena) {
  TRY(const std::string_view text, text_of(args[0], arena));
  if (!args[1].is_number())
    return error(Code{34450}, "$substrCP: starting index must be a numeric type (is BSON type ", args[1].type_name(), ")");
  const auto first = exact_int32(args[1]);
  if (!first)
    return error(Code{34451}, "$substrCP: starting index cannot be represented as a 32-bit integral value: ", bson::to_shell(args[1]));
  if (!args[2].is_number())
    return error(Code{34452}, "$substrCP: length must be a numeric type (is BSON type ", args[2].type_name(), ")");
  const auto length = exact_int32(args[2]);
  if (!length)
    return error(Code{34453}, "$substrCP: length cannot be represented as a 32-bit integral value: ", bson::to_shell(args[2]));
  if (*length < 0) return error(Code{34454}, "$substrCP: length must be a nonnegative integer.");
  if (*first < 0) return error(Code{34455}, "$substrCP: the starting index must be nonnegative integer.");
  const std::string_view rest = text.substr(offset_of_character(text, static_cast<std::size_t>(*first)));
  return make_string(rest.substr(0, offset_of_character(rest, static_cast<std::size_t>(*length))), arena);
}

using Register = RegisterEntry<Expression>;

const Register kSubstrBytes{{
    .name = "$substrBytes",
    .min_args = 3,
    .max_args = 3,
    .summary = "So many bytes of a string from one of them on; all of the rest for a length below zero.",
    .evaluate = by_bytes,
    .examples = {{"{$substrBytes: ['$a', 1, 2]}", "{a: 'hello'}", "'el'"},
                 {"{$substrBytes: ['$a', 1, -1]}", "{a: 'hello'}", "'ello'"},
                 {"{$substrBytes: ['$a', 0, 1]}", "{a: 'é'}", "error 28657"},
                 {"{$substrBytes: ['$a', -1, 1]}", "{a: 'x'}", "error 50752"}},
}};
const Register kSubstr{{
    .name = "$substr",
    .min_args = 3,
    .max_args = 3,
    .summary = "Another name of $substrBytes.",
    .evaluate = by_bytes,
    .examples = {{"{$substr: ['$a', 1, 2]}", "{a: 1234}", "'23'"}, {"{$substr: ['$a', 'x', 2]}", "{}", "error 16034"}},
}};
const Register kSubstrCP{{
    .name = "$substrCP",
    .min_args = 3,
    .max_args = 3,
    .summary = "So many characters of a string from one of them on.",
    .evaluate = by_characters,
    .examples = {{"{$substrCP: ['$a', 1, 2]}", "{a: 'héllo'}", "'él'"},
                 {"{$substrCP: ['$a', 9, 2]}", "{a: 'x'}", "''"},
                 {"{$substrCP: ['$a', 1.5, 2]}", "{a: 'x'}", "error 34451"},
                 {"{$substrCP: ['$a', 0, -1]}", "{a: 'x'}", "error 34454"}},
}};

}  // namespace
}  // namespace partita::query
