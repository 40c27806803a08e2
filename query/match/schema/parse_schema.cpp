// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "query/match/operator.h"
#include "query/match/schema/schema_parser.h"
#include "query/match/schema/unordered.h"
#include "query/match/whole_number.h"
#include "wire/bson/decimal.h"

namespace partita::query {

using bson::Field;
using bson::Type;
using bson::Value;
using bson::View;
using Kind = SchemaCheck::Kind;
using schema_tests::Test;

Status SchemaParser::run() {
  add_rule(schema_.source_.view());
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    now_ = waiting_[i];
    schema_.depth_ = std::max(schema_.depth_, now_.depth);
    Schema::Rule& rule = schema_.rules_[i];
    rule.source = now_.source;
    rule.of_document = now_.of_document;
    rule.first = static_cast<std::uint32_t>(schema_.checks_.size());
    CHECK_OK(read());
    schema_.rules_[i].end = static_cast<std::uint32_t>(schema_.checks_.size());
  }
  return {};
}

Status SchemaParser::read() {
  std::unordered_set<std::string_view> seen;
  for (const Field& field : now_.source) {
    const Keyword* keyword = find(field.name);
    if (keyword == nullptr) return error(Code::FailedToParse, "Unknown $jsonSchema keyword: ", field.name);
    if (keyword->read == nullptr)
      return error(Code::FailedToParse, "$jsonSchema keyword '", field.name, "' is not currently supported");
    if (!seen.insert(field.name).second) return error(Code::FailedToParse, "Duplicate $jsonSchema keyword: ", field.name);
  }
  if (now_.source.has("type") && now_.source.has("bsonType"))
    return error(Code::FailedToParse, "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
  for (const Field& field : now_.source) CHECK_OK((this->*find(field.name)->read)(field));
  return {};
}

SchemaCheck& SchemaParser::add(const Field& field, Kind kind) {
  SchemaCheck& check = schema_.checks_.emplace_back();
  check.kind = kind;
  check.keyword = field.name;
  check.operand = field.value;
  return check;
}

Status SchemaParser::add_test(const Field& field, Test test) {
  add(field, Kind::kTest).test = std::move(test);
  return {};
}

std::uint32_t SchemaParser::add_rule(View source, bool same) {
  const bool first = schema_.rules_.empty();
  waiting_.push_back({source, first ? 1 : now_.depth + 1, first || (same && now_.of_document)});
  schema_.rules_.emplace_back();
  return static_cast<std::uint32_t>(schema_.rules_.size() - 1);
}

Status SchemaParser::remark(const Field& field) {
  return field.value.is_string() ? Status() : wrong_type(field, "must be of type string");
}

Status SchemaParser::refuse(const Field& field) { return not_supported(field.name); }

Status SchemaParser::type(const Field& field) {
  TypeSet types;
  if (field.value.is_string()) {
    CHECK_OK(add_type(field, field.value.as_string(), types));
    return add_test(field, schema_tests::has_type(types));
  }
  if (!field.value.is_array()) return wrong_type(field, "must be either a string or an array of strings");
  if (field.value.as_document().empty()) return wrong(field, "must name at least one type");
  std::unordered_set<std::string_view> names;
  for (const Field& name : field.value.as_document()) {
    if (!name.value.is_string()) return wrong_type(field, "array elements must be strings");
    if (!names.insert(name.value.as_string()).second) return wrong(field, "has duplicate value: ", name.value.as_string());
  }
  for (const std::string_view name : names) CHECK_OK(add_type(field, name, types));
  return add_test(field, schema_tests::has_type(types));
}

Status SchemaParser::add_type(const Field& field, std::string_view name, TypeSet& types) {
  if (name == "integer") return error(Code::FailedToParse, "$jsonSchema type 'integer' is not currently supported.");
  if (field.name == "bsonType") return types.add(name);
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"array", "array"},   {"boolean", "bool"},  {"null", "null"},
      {"number", "number"}, {"object", "object"}, {"string", "string"}};
  for (const auto& [json, ours] : kTypes)
    if (json == name) return types.add(ours);
  return error(Code::BadValue, "Unknown type name alias: ", name);
}

Status SchemaParser::choice(const Field& field) {
  if (!field.value.is_array())
    return wrong_type(field, "must be an array, but found an element of type ", field.value.type_name());
  std::vector<Value> values;
  for (const Field& one : field.value.as_document()) values.push_back(one.value);
  if (values.empty()) return wrong(field, "cannot be an empty array");
  std::ranges::sort(values, [](Value a, Value b) { return compare_unordered(a, b) < 0; });
  auto same = [](Value a, Value b) { return compare_unordered(a, b) == 0; };
  if (std::ranges::adjacent_find(values, same) != values.end())
    return wrong(field, "array cannot contain duplicate values.");
  return add_test(field, schema_tests::one_of(std::move(values)));
}

Status SchemaParser::limit(const Field& field) {
  if (!field.value.is_number()) return wrong_type(field, "must be a number");
  const bool least = field.name == "minimum";
  const Value exclusive = now_.source[least ? "exclusiveMinimum" : "exclusiveMaximum"];
  const bool excludes = exclusive.is_bool() && exclusive.as_bool();
  return add_test(field, least ? schema_tests::at_least(field.value, excludes)
                               : schema_tests::at_most(field.value, excludes));
}

Status SchemaParser::exclusive(const Field& field) {
  const std::string_view limit = field.name == "exclusiveMinimum" ? "minimum" : "maximum";
  if (!now_.source.has(limit))
    return error(Code::FailedToParse, "$jsonSchema keyword '", limit, "' must be a present if ", field.name, " is present");
  return field.value.is_bool() ? Status() : wrong_type(field, "must be a boolean");
}

Status SchemaParser::multiple(const Field& field) {
  if (!field.value.is_number()) return wrong_type(field, "must be a number");
  const bson::Decimal128 divisor = schema_tests::decimal_of(field.value);
  const bool is_nan = bson::decimal_is_nan(divisor);
  if (!is_nan && !bson::decimal_less(bson::decimal_from_int64(0), divisor)) return wrong(field, "must have a positive value");
  if (now_.of_document) return {};
  if (is_nan) return error(Code::BadValue, "divisor cannot be NaN");
  if (bson::decimal_is_infinite(divisor)) return error(Code::BadValue, "divisor cannot be infinite");
  return add_test(field, schema_tests::multiple_of(field.value));
}

Status SchemaParser::size(const Field& field) {
  TRY(const std::int64_t limit, whole_count(field));
  const bool least = field.name.starts_with("min");
  const std::string_view of = field.name.substr(3);
  const Type type = of == "Length" ? Type::kString : of == "Items" ? Type::kArray : Type::kDocument;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return add_test(field, schema_tests::count(type, least ? limit : 0, least ? kMost : limit));
}

Status SchemaParser::pattern(const Field& field) {
  if (!field.value.is_string()) return wrong_type(field, "must be a string");
  if (now_.of_document) return {};
  TRY(Test test, schema_tests::pattern(field.value.as_string()));
  return add_test(field, std::move(test));
}

Status SchemaParser::unique(const Field& field) {
  if (!field.value.is_bool()) return wrong_type(field, "must be a boolean");
  return field.value.as_bool() ? add_test(field, schema_tests::unique_items()) : Status();
}

Status SchemaParser::required(const Field& field) {
  if (!field.value.is_array())
    return wrong_type(field, "must be an array, but found an element of type ", field.value.type_name());
  if (field.value.as_document().empty()) return wrong(field, "cannot be an empty array");
  std::vector<FieldPath> paths;
  std::unordered_set<std::string_view> names;
  for (const Field& name : field.value.as_document()) {
    if (!name.value.is_string())
      return wrong_type(field, "must be an array of strings, but found an element of type: ", name.value.type_name());
    if (!names.insert(name.value.as_string()).second) return wrong(field, "array cannot contain duplicate values");
    paths.emplace_back(name.value.as_string());
  }
  return add_test(field, schema_tests::required(std::move(paths)));
}

const SchemaParser::Keyword SchemaParser::kKeywords[] = {
    {"$ref", nullptr},
    {"$schema", nullptr},
    {"additionalItems", &SchemaParser::more_items},
    {"additionalProperties", &SchemaParser::more_properties},
    {"allOf", &SchemaParser::several},
    {"anyOf", &SchemaParser::several},
    {"bsonType", &SchemaParser::type},
    {"default", nullptr},
    {"definitions", nullptr},
    {"dependencies", &SchemaParser::dependencies},
    {"description", &SchemaParser::remark},
    {"encrypt", &SchemaParser::refuse},
    {"encryptMetadata", &SchemaParser::refuse},
    {"enum", &SchemaParser::choice},
    {"exclusiveMaximum", &SchemaParser::exclusive},
    {"exclusiveMinimum", &SchemaParser::exclusive},
    {"format", nullptr},
    {"id", nullptr},
    {"items", &SchemaParser::items},
    {"maxItems", &SchemaParser::size},
    {"maxLength", &SchemaParser::size},
    {"maxProperties", &SchemaParser::size},
    {"maximum", &SchemaParser::limit},
    {"minItems", &SchemaParser::size},
    {"minLength", &SchemaParser::size},
    {"minProperties", &SchemaParser::size},
    {"minimum", &SchemaParser::limit},
    {"multipleOf", &SchemaParser::multiple},
    {"not", &SchemaParser::negation},
    {"oneOf", &SchemaParser::several},
    {"pattern", &SchemaParser::pattern},
    {"patternProperties", &SchemaParser::patterns},
    {"properties", &SchemaParser::properties},
    {"required", &SchemaParser::required},
    {"title", &SchemaParser::remark},
    {"type", &SchemaParser::type},
    {"uniqueItems", &SchemaParser::unique},
};

const SchemaParser::Keyword* SchemaParser::find(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kKeywords, name, {}, &Keyword::name);
  return found == std::end(kKeywords) || found->name != name ? nullptr : found;
}

Result<Schema> Schema::parse(View source) {
  Schema schema;
  schema.source_ = bson::Document(source);
  CHECK_OK(SchemaParser(schema).run());
  return schema;
}

}  // namespace partita::query
