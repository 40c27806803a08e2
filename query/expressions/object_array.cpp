// SPDX-License-Identifier: GPL-3.0-or-later
// $objectToArray and $arrayToObject: {a: 1} and [{k: "a", v: 1}], or [["a", 1]].
#include <unordered_map>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;
using bson::View;

Result<Value> to_array(Args args, Arena& arena) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_document())
    return error(Code{40390}, "$objectToArray requires a document input, found: ", args[0].type_name());
  const std::span<Field> fields = fields_of(args[0].as_document(), arena);
  std::vector<Value> pairs;
  pairs.reserve(fields.size());
  for (const Field& field : fields) {
    TRY(const Value name, make_string(field.name, arena));
    const Field pair[] = {{"k", name}, {"v", field.value}};
    TRY(const Value made, make_object(pair, arena));
    pairs.push_back(made);
  }
  return make_array(pairs, arena);
}

Result<std::string_view> key_of(Value key, Code null_byte) {
  if (key.as_string().find('\0') == std::string_view::npos) return key.as_string();
  return error(null_byte, "Key field cannot contain an embedded null byte");
}

/// ["a", 1]
Result<Field> from_pair(Value element) {
  if (!element.is_array())
    return error(Code{40396}, "$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. "
                 "Array was detected, now found: ", element.type_name());
  const View pair = element.as_document();
  const std::size_t size = pair.count();
  if (size != 2) return error(Code{40397}, "$arrayToObject requires an array of size 2 arrays, found array of size: ", size);
  auto at = pair.begin();
  const Value key = at->value;
  if (!key.is_string())
    return error(Code{40395}, "$arrayToObject requires an array of key-value pairs, where the key must be of type string. "
                 "Found key type: ", key.type_name());
  TRY(const std::string_view name, key_of(key, Code{4940400}));
  return Field{name, (++at)->value};
}

/// {k: "a", v: 1}
Result<Field> from_object(Value element) {
  if (!element.is_document())
    return error(Code{40391}, "$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. "
                 "Object was detected, now found: ", element.type_name());
  const View object = element.as_document();
  const std::size_t size = object.count();
  if (size != 2) return error(Code{40392}, "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:", size);
  const Value key = object["k"];
  const Value value = object["v"];
  if (key.missing() || value.missing())
    return error(Code{40393}, "$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: ",
                 bson::to_shell(object));
  if (!key.is_string())
    return error(Code{40394}, "$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type "
                 "string. Found type: ", key.type_name());
  TRY(const std::string_view name, key_of(key, Code{4940401}));
  return Field{name, value};
}

/// Of one name that comes several times the last value counts, in the place of the first.
class Fields {
 public:
  void set(const Field& field) {
    const auto [found, is_new] = places_.try_emplace(field.name, fields_.size());
    if (is_new) {
      fields_.push_back(field);
    } else {
      fields_[found->second].value = field.value;
    }
  }
  Result<Value> make(Arena& arena) const { return make_object(fields_, arena); }

 private:
  std::vector<Field> fields_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

Result<Value> to_object(Args args, Arena& arena) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_array()) return error(Code{40386}, "$arrayToObject requires an array input, found: ", args[0].type_name());
  const View array = args[0].as_document();
  if (array.empty()) return Value::of(View());
  const Value first = array.begin()->value;
  if (!first.is_array() && !first.is_document())
    return error(Code{40398}, "Unrecognised input type format for $arrayToObject: ", first.type_name());
  Fields fields;
  for (auto at = array.begin(); at != array.end(); ++at) {
    TRY(const Field field, first.is_array() ? from_pair(at->value) : from_object(at->value));
    fields.set(field);
  }
  return fields.make(arena);
}

using Register = RegisterEntry<Expression>;

const Register kObjectToArray{{
    .name = "$objectToArray",
    .summary = "The fields of an object as an array of {k: name, v: value}.",
    .evaluate = to_array,
    .examples = {{"{$objectToArray: '$a'}", "{a: {x: 1, y: 2}}", "[{k: 'x', v: 1}, {k: 'y', v: 2}]"},
                 {"{$objectToArray: '$a'}", "{}", "null"},
                 {"{$objectToArray: '$a'}", "{a: 1}", "error 40390"}},
}};
const Register kArrayToObject{{
    .name = "$arrayToObject",
    .summary = "An object of names and values: [name, value] or {k: name, v: value} each.",
    .evaluate = to_object,
    .examples = {{"{$arrayToObject: '$a'}", "{a: [['x', 1], ['y', 2], ['x', 3]]}", "{x: 3, y: 2}"},
                 {"{$arrayToObject: '$a'}", "{a: [{k: 'x', v: 1}]}", "{x: 1}"},
                 {"{$arrayToObject: '$a'}", "{a: [['x']]}", "error 40397"},
                 {"{$arrayToObject: '$a'}", "{a: 1}", "error 40386"}},
}};

}  // namespace
}  // namespace partita::query
