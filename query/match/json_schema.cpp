// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"
#include "query/match/schema/schema.h"

namespace partita::query {
namespace {

class JsonSchema : public Predicate {
 public:
  explicit JsonSchema(Schema schema) : schema_(std::move(schema)) {}
  /// An array within $elemMatch is a document here, whose fields are numbered.
  bool matches(bson::Value value, MatchState& state) const override {
    return schema_.matches(bson::Value::of(value.as_document()), state);
  }

 private:
  Schema schema_;
};

Result<Clause> parse_json_schema(const OperatorArgs& args) {
  if (!args.operand.is_document()) return error(Code::TypeMismatch, "$jsonSchema must be an object");
  TRY(Schema schema, Schema::parse(args.operand.as_document()));
  return Clause{std::make_unique<JsonSchema>(std::move(schema))};
}

const RegisterEntry<FilterOperator> kJsonSchema{{
    .name = "$jsonSchema",
    .summary = "The document satisfies a JSON schema.",
    .parse = parse_json_schema,
    .about = About::kAny,
    .of_queries = true,
    .examples = {{"{$jsonSchema: {required: ['a'], properties: {a: {bsonType: 'int', minimum: 1}}}}", "{a: 1}", "true"},
                 {"{$jsonSchema: {required: ['a'], properties: {a: {bsonType: 'int', minimum: 1}}}}", "{a: 0}", "false"},
                 {"{$jsonSchema: {properties: {a: {items: {type: 'string'}}}}}", "{a: ['x', 1]}", "false"},
                 {"{$jsonSchema: {properties: {a: {}}, additionalProperties: false}}", "{a: 1, b: 1}", "false"},
                 {"{$jsonSchema: {oneOf: [{required: ['a']}, {required: ['b']}]}}", "{a: 1, b: 1}", "false"},
                 {"{$jsonSchema: {foo: 1}}", "{}", "error 9"},
                 {"{$jsonSchema: {required: 1}}", "{}", "error 14"},
                 {"{$jsonSchema: 1}", "{}", "error 14"}},
}};

}  // namespace
}  // namespace partita::query
