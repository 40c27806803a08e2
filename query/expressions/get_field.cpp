// SPDX-License-Identifier: GPL-3.0-or-later
// $getField, $setField and $unsetField: fields by names that may hold dots and dollars, and are therefore no paths. The
// name is a constant, which must be a string.
#include "query/expressions/computed_values.h"
#include "query/expressions/parameters.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

struct NameCodes {
  Code path;
  Code not_constant;
  Code not_text;
};
constexpr NameCodes kGetCodes{Code{5654600}, Code{5654601}, Code{5654602}};
constexpr NameCodes kSetCodes{Code{4161108}, Code{4161106}, Code{4161107}};

bool is_operator(Value value, std::string_view name) {
  return value.is_document() && value.as_document().count() == 1 && value.as_document().begin()->name == name;
}

/// The name as it is written, or within $literal.
Result<Value> constant_name(std::string_view op, const NameCodes& codes, Value written) {
  Value name = written;
  if (written.is_string() && written.as_string().starts_with('$')) {
    return error(codes.path, "'", written.as_string(), "' is a field path reference which is not allowed in this context. Did you mean {$literal: '",
                 written.as_string(), "'}?");
  }
  if (is_operator(written, "$literal") || is_operator(written, "$const")) {
    name = written.as_document().begin()->value;
  } else if (written.is_document() || written.is_array()) {
    return error(codes.not_constant, op, " requires 'field' to evaluate to a constant, but got a non-constant argument");
  }
  if (!name.is_string())
    return error(codes.not_text, op, " requires 'field' to evaluate to type String, but got ", name.type_name());
  return name;
}

const Parameters kGet{"$getField", Code{3041704}, Code{3041701}, Parameters::Wording::kRequires,
                      {{"field", Code{3041702}}, {"input", Code{3041703}}}};

/// {field: name, input: object}; a name alone means the document. An operator alone can only be $literal's.
Result<Operands> get_arguments(Value operand) {
  const bool is_call = operand.is_document() && !operand.as_document().empty() && operand.as_document().begin()->name.starts_with('$');
  Operands operands;
  Value name = operand;
  if (operand.is_document() && !is_call) {
    TRY(const std::vector<Value> given, kGet.read(operand));
    name = given[0];
    operands.values.push_back(given[1]);
  } else {
    operands.uses_document = true;
  }
  TRY(const Value constant, constant_name("$getField", kGetCodes, name));
  operands.literals.push_back(constant);
  return operands;
}

Result<Value> get(Args args, Arena&) {
  const Value input = args[0];
  if (input.missing()) return Value();
  if (input.is_nullish()) return Value::null();
  return input.is_document() ? input.as_document()[args[1].as_string()] : Value();
}

const Parameters kSet{"$setField", Code{4161100}, Code{4161101}, Parameters::Wording::kSetField,
                      {{"field", Code{4161102}}, {"input", Code{4161109}}, {"value", Code{4161103}}}};
const Parameters kUnset{"$unsetField", Code{4161100}, Code{4161101}, Parameters::Wording::kSetField,
                        {{"field", Code{4161102}}, {"input", Code{4161109}}}};

Result<Operands> set_arguments(Value operand) {
  TRY(const std::vector<Value> given, kSet.read(operand));
  Operands operands({given[1], given[2]});
  TRY(const Value name, constant_name("$setField", kSetCodes, given[0]));
  operands.literals.push_back(name);
  return operands;
}

Result<Operands> unset_arguments(Value operand) {
  TRY(const std::vector<Value> given, kUnset.read(operand));
  Operands operands({given[1]});
  TRY(const Value name, constant_name("$unsetField", kSetCodes, given[0]));
  operands.literals = {Value(), name};
  return operands;
}

/// The object, the value, which may be missing, and the name.
Result<Value> set(Args args, Arena& arena) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_document()) return error(Code{4161105}, "$setField requires 'input' to evaluate to type Object");
  const std::string_view name = args[2].as_string();
  const std::size_t count = args[0].as_document().count();
  auto* const fields = reinterpret_cast<bson::Field*>(arena.allocate((count + 1) * sizeof(bson::Field), alignof(bson::Field)));
  std::size_t made = 0;
  bool found = false;
  for (bson::Field field : args[0].as_document()) {
    if (!found && field.name == name) {
      field.value = args[1];
      found = true;
    }
    fields[made++] = field;
  }
  if (!found) fields[made++] = {name, args[1]};
  return make_object(std::span<const bson::Field>(fields, made), arena);
}

using Register = RegisterEntry<Expression>;

const Register kGetField{{
    .name = "$getField",
    .min_args = 0,
    .max_args = 1,
    .summary = "The field of this name, dots and dollars and all, of an object, or of the document.",
    .evaluate = get,
    .arguments = get_arguments,
    .examples = {{"{$getField: 'a.b'}", "{'a.b': 1}", "1"},
                 {"{$getField: {field: {$literal: '$x'}, input: '$a'}}", "{a: {$x: 2}}", "2"},
                 {"{$getField: {field: 'x', input: '$a'}}", "{}", "missing"},
                 {"{$getField: {field: 'x', input: null}}", "{}", "null"},
                 {"{$getField: '$a'}", "{}", "error 5654600"},
                 {"{$getField: 5}", "{}", "error 5654602"}},
}};
const Register kSetField{{
    .name = "$setField",
    .min_args = 2,
    .max_args = 2,
    .summary = "An object with a field set, added or, for $$REMOVE, removed.",
    .evaluate = set,
    .arguments = set_arguments,
    .examples = {{"{$setField: {field: 'a.b', input: '$$ROOT', value: 5}}", "{x: 1}", "{x: 1, 'a.b': 5}"},
                 {"{$setField: {field: 'x', input: '$$ROOT', value: '$$REMOVE'}}", "{x: 1, y: 2}", "{y: 2}"},
                 {"{$setField: {field: 'x', input: 1, value: 1}}", "{}", "error 4161105"},
                 {"{$setField: {field: '$x', input: {}, value: 1}}", "{}", "error 4161108"}},
}};
const Register kUnsetField{{
    .name = "$unsetField",
    .min_args = 1,
    .max_args = 1,
    .summary = "An object without a field.",
    .evaluate = set,
    .arguments = unset_arguments,
    .examples = {{"{$unsetField: {field: 'x', input: '$$ROOT'}}", "{x: 1, y: 2}", "{y: 2}"}, {"{$unsetField: 1}", "{}", "error 4161100"}},
}};

}  // namespace
}  // namespace partita::query
