// SPDX-License-Identifier: GPL-3.0-or-later
// Keywords that hold schemas.
#include "query/match/schema/schema_parser.h"

namespace partita::query {

using bson::Field;
using bson::Value;
using bson::View;
using Kind = SchemaCheck::Kind;

Status SchemaParser::several(const Field& field) {
  if (!field.value.is_array()) return wrong_type(field, "must be an array");
  const View schemas = field.value.as_document();
  if (schemas.empty()) return error(Code::BadValue, "$jsonSchema keyword '", field.name, "' must be a non-empty array");
  for (const Field& one : schemas)
    if (!one.value.is_document())
      return wrong_type(field, "must be an array of objects, but found an element of type ", one.value.type_name());
  std::uint32_t count = 0;
  const auto first = static_cast<std::uint32_t>(schema_.rules_.size());
  for (const Field& one : schemas) {
    add_rule(one.value.as_document());
    ++count;
    if (field.name == "allOf") add(field, Kind::kSelf).first = first + count - 1;
  }
  if (field.name == "allOf") return {};
  SchemaCheck& check = add(field, field.name == "anyOf" ? Kind::kAny : Kind::kOne);
  check.first = first;
  check.count = count;
  return {};
}

Status SchemaParser::negation(const Field& field) {
  if (!field.value.is_document())
    return wrong_type(field, "must be an object, but found an element of type ", field.value.type_name());
  add(field, Kind::kNot).first = add_rule(field.value.as_document());
  return {};
}

Status SchemaParser::items(const Field& field) {
  if (!field.value.is_document() && !field.value.is_array())
    return wrong_type(field, "must be an array or an object, not ", field.value.type_name());
  if (field.value.is_document()) {
    const std::uint32_t rule = add_rule(field.value.as_document(), false);
    add(field, Kind::kItems).rest = rule;
    return {};
  }
  const auto first = static_cast<std::uint32_t>(schema_.rules_.size());
  for (const Field& item : field.value.as_document()) {
    if (!item.value.is_document())
      return wrong_type(field, "requires that each element of the array is an object, but found a ",
                        item.value.type_name());
    add_rule(item.value.as_document(), false);
  }
  const auto count = static_cast<std::uint32_t>(schema_.rules_.size()) - first;
  const Value more = now_.source["additionalItems"];
  const std::uint32_t rest = more.is_document() || more.is_bool() ? rule_for_rest(more) : SchemaCheck::kWelcome;
  SchemaCheck& check = add(field, Kind::kItems);
  check.first = first;
  check.count = count;
  check.rest = rest;
  return {};
}

/// Part of the check of a list of items; without one it says nothing, but has to be well formed.
Status SchemaParser::more_items(const Field& field) {
  if (!field.value.is_document() && !field.value.is_bool())
    return wrong_type(field, "must be either an object or a boolean, but got a ", field.value.type_name());
  if (!now_.source["items"].is_array()) (void)rule_for_rest(field.value);
  return {};
}

std::uint32_t SchemaParser::rule_for_rest(Value value) {
  if (value.is_document()) return add_rule(value.as_document(), false);
  return value.as_bool() ? SchemaCheck::kWelcome : SchemaCheck::kForbidden;
}

Status SchemaParser::properties(const Field& field) {
  if (!field.value.is_document()) return wrong_type(field, "must be an object");
  for (const Field& property : field.value.as_document()) {
    if (!property.value.is_document())
      return error(Code::TypeMismatch, "Nested schema for $jsonSchema property '", property.name, "' must be an object");
    const std::uint32_t rule = add_rule(property.value.as_document(), false);
    SchemaCheck& check = add(field, Kind::kProperty);
    check.path = FieldPath(property.name);
    check.first = rule;
  }
  return {};
}

Status SchemaParser::patterns(const Field& field) {
  if (!field.value.is_document()) return wrong_type(field, "must be an object");
  // Both keywords are one check, which stands where additionalProperties does.
  if (now_.source.has("additionalProperties")) return check_patterns(field);
  return fields(field, SchemaCheck::kWelcome);
}

Status SchemaParser::check_patterns(const Field& field) {
  for (const Field& property : field.value.as_document())
    if (!property.value.is_document())
      return wrong_type(field, "has property '", property.name, "' which is not an object");
  return {};
}

Status SchemaParser::more_properties(const Field& field) {
  if (!field.value.is_document() && !field.value.is_bool()) return wrong_type(field, "must be an object or a boolean");
  const std::uint32_t rest = rule_for_rest(field.value);
  return fields(field, rest);
}

Status SchemaParser::fields(const Field& field, std::uint32_t rest) {
  const Value source = now_.source["patternProperties"];
  const Value properties = now_.source["properties"];
  if (!source.missing() && !source.is_document())
    return error(Code::TypeMismatch, "$jsonSchema keyword 'patternProperties' must be an object");
  const View patterns = source.missing() ? View() : source.as_document();
  CHECK_OK(check_patterns({"patternProperties", Value::of(patterns)}));
  const auto first = static_cast<std::uint32_t>(schema_.rules_.size());
  std::vector<Regex> regexes;
  for (const Field& property : patterns) {
    auto regex = Regex::compile(property.name, "");
    if (!regex.ok()) return error(Code::BadValue, "Invalid regular expression: ", property.name);
    regexes.push_back(std::move(*regex));
    add_rule(property.value.as_document(), false);
  }
  SchemaCheck& check = add(field, Kind::kFields);
  check.first = first;
  check.count = static_cast<std::uint32_t>(regexes.size());
  check.rest = rest;
  check.patterns = std::move(regexes);
  if (!properties.is_document()) return {};
  for (const Field& property : properties.as_document()) check.known.insert(property.name);
  return {};
}

Status SchemaParser::dependencies(const Field& field) {
  if (!field.value.is_document()) return wrong_type(field, "must be an object");
  for (const Field& trigger : field.value.as_document()) {
    if (trigger.value.is_document()) {
      const std::uint32_t rule = add_rule(trigger.value.as_document());
      SchemaCheck& check = add({field.name, trigger.value}, Kind::kSelf);
      check.path = FieldPath(trigger.name);
      check.first = rule;
    } else {
      CHECK_OK(dependency(trigger));
    }
  }
  return {};
}

Status SchemaParser::dependency(const Field& trigger) {
  if (!trigger.value.is_array())
    return error(Code::TypeMismatch, "property '", trigger.name,
                 "' in $jsonSchema keyword 'dependencies' must be either an object or an array");
  if (trigger.value.as_document().empty())
    return error(Code::FailedToParse, "property '", trigger.name,
                 "' in $jsonSchema keyword 'dependencies' cannot be an empty array");
  std::vector<FieldPath> paths;
  std::unordered_set<std::string_view> names;
  for (const Field& name : trigger.value.as_document()) {
    if (!name.value.is_string())
      return error(Code::TypeMismatch, "array '", trigger.name,
                   "' in $jsonSchema keyword 'dependencies' can only contain strings, but found element of type: ",
                   name.value.type_name());
    if (!names.insert(name.value.as_string()).second)
      return error(Code::FailedToParse, "array '", trigger.name,
                   "' in $jsonSchema keyword 'dependencies' contains duplicate element: ", name.value.as_string());
    paths.emplace_back(name.value.as_string());
  }
  CHECK_OK(add_test({"dependencies", trigger.value}, schema_tests::required(std::move(paths), FieldPath(trigger.name))));
  schema_.checks_.back().path = FieldPath(trigger.name);
  return {};
}

}  // namespace partita::query
