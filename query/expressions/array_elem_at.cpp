// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/numeric.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// From the end where `index` is below zero; missing where there is none.
Value element_at(View array, std::int64_t index) {
  if (index < 0) index += static_cast<std::int64_t>(array.count());
  if (index < 0) return {};
  for (auto at = array.begin(); at != array.end(); ++at)
    if (index-- == 0) return at->value;
  return {};
}

Status not_array(std::string_view what, Value value) {
  return error(Code{28689}, what, " argument must be an array, but is ", value.type_name());
}

Result<Value> elem_at(Args args, Arena&) {
  if (any_nullish(args)) return Value::null();
  if (!args[0].is_array()) return not_array("$arrayElemAt's first", args[0]);
  if (!args[1].is_number())
    return error(Code{28690}, "$arrayElemAt's second argument must be a numeric value, but is ", args[1].type_name());
  const auto index = exact_int32(args[1]);
  if (!index)
    return error(Code{28691}, "$arrayElemAt's second argument must be representable as a 32-bit integer: ", bson::to_shell(args[1]));
  return element_at(args[0].as_document(), *index);
}

Result<Value> first(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  return args[0].is_array() ? Result(element_at(args[0].as_document(), 0)) : not_array("$first's", args[0]);
}

Result<Value> last(Args args, Arena&) {
  if (args[0].is_nullish()) return Value::null();
  return args[0].is_array() ? Result(element_at(args[0].as_document(), -1)) : not_array("$last's", args[0]);
}

using Register = RegisterEntry<Expression>;

const Register kArrayElemAt{{
    .name = "$arrayElemAt",
    .min_args = 2,
    .max_args = 2,
    .summary = "The element in this place, counted from the end if below zero; missing if there is none.",
    .evaluate = elem_at,
    .examples = {{"{$arrayElemAt: ['$a', -1]}", "{a: [1, 2, 3]}", "3"},
                 {"{$arrayElemAt: ['$a', 3]}", "{a: [1, 2, 3]}", "missing"},
                 {"{$arrayElemAt: ['$a', 1]}", "{}", "null"},
                 {"{$arrayElemAt: [1, 1]}", "{}", "error 28689"},
                 {"{$arrayElemAt: [[1], 1.5]}", "{}", "error 28691"}},
}};
const Register kFirst{{
    .name = "$first",
    .summary = "The first element of an array.",
    .evaluate = first,
    .examples = {{"{$first: '$a'}", "{a: [3, 4]}", "3"}, {"{$first: '$a'}", "{a: []}", "missing"}, {"{$first: 'x'}", "{}", "error 28689"}},
}};
const Register kLast{{
    .name = "$last",
    .summary = "The last element of an array.",
    .evaluate = last,
    .examples = {{"{$last: '$a'}", "{a: [3, 4]}", "4"}, {"{$last: '$a'}", "{}", "null"}, {"{$last: 'x'}", "{}", "error 28689"}},
}};

}  // namespace
}  // namespace partita::query
