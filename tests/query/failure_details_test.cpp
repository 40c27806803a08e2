// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a mongod 6.0.5 tells of documents that fail a collection's validator.
#include "query/match/failure_details.h"

#include <gtest/gtest.h>

#include "query/match/matcher.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::query {
namespace {

struct Case {
  const char* filter;
  const char* document;
  const char* details;
};

const Case kCases[] = {
    {"{n: {$gt: 5}}", "{_id: 2, n: 3}",
     "{operatorName: '$gt', specifiedAs: {n: {$gt: 5}}, reason: 'comparison failed', consideredValue: 3}"},
    {"{n: {$gt: 5}}", "{_id: 3}", "{operatorName: '$gt', specifiedAs: {n: {$gt: 5}}, reason: 'field was missing'}"},
    {"{n: {$gt: 5}}", "{n: [1, 2]}",
     "{operatorName: '$gt', specifiedAs: {n: {$gt: 5}}, reason: 'comparison failed', consideredValues: [1, 2]}"},
    {"{$expr: {$eq: ['$a', 1]}}", "{a: 3}",
     "{operatorName: '$expr', specifiedAs: {$expr: {$eq: ['$a', 1]}}, reason: 'expression did not match', expressionResult: false}"},
    {"{$or: [{a: 1}, {b: {$exists: true}}]}", "{}",
     "{operatorName: '$or', clausesNotSatisfied: [{index: 0, details: {operatorName: '$eq', specifiedAs: {a: 1}, reason: 'field was "
     "missing'}}, {index: 1, details: {operatorName: '$exists', specifiedAs: {b: {$exists: true}}, reason: 'path does not exist'}}]}"},
    {"{a: 1, b: {$in: [1, 2]}}", "{a: 3, b: 5}",
     "{operatorName: '$and', clausesNotSatisfied: [{index: 0, details: {operatorName: '$eq', specifiedAs: {a: 1}, reason: 'comparison "
     "failed', consideredValue: 3}}, {index: 1, details: {operatorName: '$in', specifiedAs: {b: {$in: [1, 2]}}, reason: 'no matching "
     "value found in array', consideredValue: 5}}]}"},
    {"{a: {$not: {$gt: 1}}}", "{a: 3}",
     "{operatorName: '$not', details: {operatorName: '$gt', specifiedAs: {a: {$gt: 1}}, reason: 'comparison succeeded', "
     "consideredValue: 3}}"},
    {"{'a.b': {$gt: 1, $lt: 9}}", "{a: 3}",
     "{operatorName: '$and', clausesNotSatisfied: [{index: 0, details: {operatorName: '$gt', specifiedAs: {'a.b': {$gt: 1}}, reason: "
     "'field was missing'}}, {index: 1, details: {operatorName: '$lt', specifiedAs: {'a.b': {$lt: 9}}, reason: 'field was missing'}}]}"},
    {"{$and: [{a: 1}, {$or: [{b: 1}, {c: 2}]}]}", "{a: 3, b: 5}",
     "{operatorName: '$and', clausesNotSatisfied: [{index: 0, details: {operatorName: '$eq', specifiedAs: {a: 1}, reason: 'comparison "
     "failed', consideredValue: 3}}, {index: 1, details: {operatorName: '$or', clausesNotSatisfied: [{index: 0, details: {operatorName: "
     "'$eq', specifiedAs: {b: 1}, reason: 'comparison failed', consideredValue: 5}}, {index: 1, details: {operatorName: '$eq', "
     "specifiedAs: {c: 2}, reason: 'field was missing'}}]}}]}"},
    {"{$nor: [{a: 3}, {b: 2}]}", "{a: 3, b: 5}",
     "{operatorName: '$nor', clausesSatisfied: [{index: 0, details: {operatorName: '$eq', specifiedAs: {a: 3}, reason: 'comparison "
     "succeeded', consideredValue: 3}}]}"},
    {"{a: {$exists: false}}", "{a: 3}", "{operatorName: '$exists', specifiedAs: {a: {$exists: false}}, reason: 'path does exist'}"},
    {"{a: {$ne: 3}}", "{a: 3}",
     "{operatorName: '$ne', specifiedAs: {a: {$ne: 3}}, reason: 'comparison succeeded', consideredValue: 3}"},
    {"{a: {$nin: [3]}}", "{a: 3}",
     "{operatorName: '$nin', specifiedAs: {a: {$nin: [3]}}, reason: 'matching value found in array', consideredValue: 3}"},
    {"{a: {$type: 'string'}}", "{a: 3}",
     "{operatorName: '$type', specifiedAs: {a: {$type: 'string'}}, reason: 'type did not match', consideredValue: 3, consideredType: 'int'}"},
    {"{a: {$elemMatch: {$gt: 5}}}", "{a: 3}",
     "{operatorName: '$elemMatch', specifiedAs: {a: {$elemMatch: {$gt: 5}}}, reason: 'type did not match', consideredType: 'int', "
     "expectedType: 'array', consideredValue: 3}"},
    {"{a: {$size: 2}}", "{a: 3}",
     "{operatorName: '$size', specifiedAs: {a: {$size: 2}}, reason: 'type did not match', consideredType: 'int', expectedType: 'array', "
     "consideredValue: 3}"},
    {"{a: {$mod: [4, 0]}}", "{a: 3}",
     "{operatorName: '$mod', specifiedAs: {a: {$mod: [4, 0]}}, reason: '$mod did not evaluate to expected remainder', consideredValue: 3}"},
    {"{a: {$regex: '^x'}}", "{a: 3}",
     "{operatorName: '$regex', specifiedAs: {a: {$regex: '^x'}}, reason: 'type did not match', consideredType: 'int', expectedTypes: "
     "['regex', 'string', 'symbol'], consideredValue: 3}"},
    {"{a: {$all: [1, 2]}}", "{a: 3}",
     "{operatorName: '$all', specifiedAs: {a: {$all: [1, 2]}}, reason: 'array did not contain all specified values', consideredValue: 3}"},
    {"{a: 1}", "{a: []}", "{operatorName: '$eq', specifiedAs: {a: 1}, reason: 'comparison failed', consideredValues: []}"},
    {"{a: {$mod: [4, 1]}}", "{a: []}",
     "{operatorName: '$mod', specifiedAs: {a: {$mod: [4, 1]}}, reason: 'type did not match', expectedTypes: ['decimal', 'double', 'int', "
     "'long'], consideredValues: []}"},
    {"{'a.b': {$gt: 1}}", "{a: [{b: [0, 1]}, {b: 1}, {b: []}]}",
     "{operatorName: '$gt', specifiedAs: {'a.b': {$gt: 1}}, reason: 'comparison failed', consideredValues: [0, 1, 1]}"},
    {"{'a.b': {$gt: 1}}", "{a: [{b: 0}, {c: 1}, {b: -1}]}",
     "{operatorName: '$gt', specifiedAs: {'a.b': {$gt: 1}}, reason: 'comparison failed', consideredValue: 0}"},
    {"{a: {$in: [1]}}", "{a: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}",
     "{operatorName: '$in', specifiedAs: {a: {$in: [1]}}, reason: 'no matching value found in array', consideredValues: [2, 3, 4, 5, 6, 7, "
     "8, 9, 10, 11], consideredValuesTruncated: true}"},
    {"{a: {$all: []}}", "{a: 3}", "{operatorName: '$all', specifiedAs: {a: {$all: []}}, reason: 'expression always evaluates to false'}"},
    {"{a: {$geoWithin: {$box: [[0, 0], [1, 1]]}}}", "{a: 3}",
     "{operatorName: '$geoWithin', specifiedAs: {a: {$geoWithin: {$box: [[0, 0], [1, 1]]}}}, reason: 'could not find a valid geometry at the "
     "given path', consideredValue: 3}"},
    {"{$expr: {$divide: ['$a', 0]}}", "{a: 3}",
     "{operatorName: '$expr', specifiedAs: {$expr: {$divide: ['$a', 0]}}, reason: 'failed to evaluate aggregation expression', details: "
     "{code: 2, codeName: 'BadValue', errmsg: \"can't $divide by zero\"}}"},
    {"{$expr: '$a'}", "{a: 0}", "{operatorName: '$expr', specifiedAs: {$expr: '$a'}, reason: 'expression did not match', expressionResult: 0}"},
    {"{$nor: [{$jsonSchema: {title: 't', description: 'd'}}]}", "{a: 1}",
     "{operatorName: '$nor', clausesSatisfied: [{index: 0, title: 't', description: 'd', details: {operatorName: '$jsonSchema', reason: "
     "'schema matched'}}]}"},
    {"{$jsonSchema: {required: ['a']}, b: 1}", "{}",
     "{operatorName: '$and', clausesNotSatisfied: [{index: 0, details: {operatorName: '$jsonSchema', schemaRulesNotSatisfied: "
     "[{operatorName: 'required', specifiedAs: {required: ['a']}, missingProperties: ['a']}]}}, {index: 1, details: {operatorName: '$eq', "
     "specifiedAs: {b: 1}, reason: 'field was missing'}}]}"},
    {"{$jsonSchema: {description: 'D', title: 'T', required: ['b', 'a'], properties: {a: {title: 'ta', minimum: 5, exclusiveMinimum: true}}}}",
     "{a: 3}",
     "{operatorName: '$jsonSchema', title: 'T', description: 'D', schemaRulesNotSatisfied: [{operatorName: 'properties', "
     "propertiesNotSatisfied: [{propertyName: 'a', title: 'ta', details: [{operatorName: 'minimum', specifiedAs: {minimum: 5, "
     "exclusiveMinimum: true}, reason: 'comparison failed', consideredValue: 3}]}]}, {operatorName: 'required', specifiedAs: {required: "
     "['b', 'a']}, missingProperties: ['b']}]}"},
    {"{$jsonSchema: {properties: {a: {items: {title: 'i', bsonType: 'int'}, minItems: 4, uniqueItems: true}}}}", "{a: [1, 'x', 'x']}",
     "{operatorName: '$jsonSchema', schemaRulesNotSatisfied: [{operatorName: 'properties', propertiesNotSatisfied: [{propertyName: 'a', "
     "details: [{operatorName: 'minItems', specifiedAs: {minItems: 4}, reason: 'array did not match specified length', consideredValue: [1, "
     "'x', 'x'], numberOfItems: 3}, {operatorName: 'uniqueItems', specifiedAs: {uniqueItems: true}, reason: 'found a duplicate item', "
     "consideredValue: [1, 'x', 'x'], duplicatedValue: 'x'}, {operatorName: 'items', title: 'i', reason: 'At least one item did not match "
     "the sub-schema', itemIndex: 1, details: [{operatorName: 'bsonType', specifiedAs: {bsonType: 'int'}, reason: 'type did not match', "
     "consideredValue: 'x', consideredType: 'string'}]}]}]}]}"},
    {"{$jsonSchema: {properties: {b: {}}, additionalProperties: false, patternProperties: {'^a': {title: 'pp', minimum: 6}}}}",
     "{ab: 3, c: 2, ac: 1}",
     "{operatorName: '$jsonSchema', schemaRulesNotSatisfied: [{operatorName: 'additionalProperties', specifiedAs: {additionalProperties: "
     "false}, additionalProperties: ['c']}, {operatorName: 'patternProperties', details: [{propertyName: 'ab', title: 'pp', regexMatched: "
     "'^a', details: [{operatorName: 'minimum', specifiedAs: {minimum: 6}, reason: 'comparison failed', consideredValue: 3}]}]}]}"},
    {"{$jsonSchema: {dependencies: {b: ['z', 'y'], c: {title: 'dt', required: ['q']}}}}", "{b: 1, c: 1}",
     "{operatorName: '$jsonSchema', schemaRulesNotSatisfied: [{operatorName: 'dependencies', failingDependencies: [{conditionalProperty: 'b', "
     "missingProperties: ['z', 'y']}, {conditionalProperty: 'c', details: [{operatorName: 'required', specifiedAs: {required: ['q']}, "
     "missingProperties: ['q']}]}]}]}"},
    {"{$jsonSchema: {anyOf: [{required: ['a']}, {description: 'd', required: ['c']}], oneOf: [{required: ['b']}, {}], not: {required: ['b']}}}",
     "{b: 1}",
     "{operatorName: '$jsonSchema', schemaRulesNotSatisfied: [{operatorName: 'anyOf', schemasNotSatisfied: [{index: 0, details: "
     "[{operatorName: 'required', specifiedAs: {required: ['a']}, missingProperties: ['a']}]}, {index: 1, description: 'd', details: "
     "[{operatorName: 'required', specifiedAs: {required: ['c']}, missingProperties: ['c']}]}]}, {operatorName: 'oneOf', reason: 'more than "
     "one subschema matched', matchingSchemaIndexes: [0, 1]}, {operatorName: 'not', reason: 'child expression matched'}]}"},
    {"{$jsonSchema: {allOf: [{type: 'string'}]}}", "{b: 1}",
     "{operatorName: '$jsonSchema', schemaRulesNotSatisfied: [{operatorName: 'allOf', schemasNotSatisfied: [{index: 0, details: "
     "{operatorName: '$jsonSchema', specifiedAs: {$jsonSchema: {type: 'string'}}, reason: 'expression always evaluates to false'}}]}]}"},
};

TEST(FailureDetails, TellWhatMongodTells) {
  for (const Case& one : kCases) {
    const bson::Document filter = bson::parse_json(one.filter).value();
    EXPECT_EQ(bson::to_json(failure_details(filter, bson::parse_json(one.document).value())),
              bson::to_json(bson::parse_json(one.details).value()))
        << one.filter;
  }
}

std::string info_of(std::string_view filter, bson::View document) {
  const bson::Document parsed = bson::parse_json(filter).value();
  EXPECT_TRUE(Matcher::parse(parsed).ok());
  const bson::Document told = failure_info(parsed, document);
  EXPECT_TRUE(bson::validate(told.view().bytes()).ok());
  return bson::to_json(told);
}

// What would nest deeper than a reply may is not told; MongoDB draws the line at the same place.
TEST(FailureDetails, StayShallowForDeepFilters) {
  std::string filter = "{a: 1}";
  for (int depth = 0; depth < 31; ++depth) filter = "{$or: [{$and: [" + filter + "]}]}";
  const bson::Document document = bson::parse_json("{_id: 1, a: 2}").value();
  EXPECT_TRUE(info_of(filter, document).starts_with("{\"failingDocumentId\"")) << info_of(filter, document);
  filter = "{$or: [" + filter + "]}";
  EXPECT_EQ(info_of(filter, document), bson::to_json(bson::parse_json("{reason: 'generated error was too deeply nested', truncated: true}").value()));
  for (int depth = 0; depth < 14; ++depth) filter = "{$or: [{$and: [" + filter + "]}]}";
  EXPECT_EQ(info_of(filter, document), bson::to_json(bson::parse_json("{reason: 'generated error was too deeply nested', truncated: true}").value()));
}

TEST(FailureDetails, StayShallowForDeepSchemas) {
  std::string schema = "{required: ['x']}";
  std::string document = "{a: 1}";
  for (int depth = 0; depth < 60; ++depth) {
    schema = "{properties: {a: " + schema + "}}";
    document = "{a: " + document + "}";
  }
  const bson::Document parsed = bson::parse_json("{_id: 1, a: " + document + "}").value();
  EXPECT_EQ(info_of("{$jsonSchema: {properties: {a: " + schema + "}}}", parsed),
            bson::to_json(bson::parse_json("{reason: 'generated error was too deeply nested', truncated: true}").value()));
}

TEST(FailureDetails, LeaveValuesOutWhereTheyAreLarge) {
  const std::string text(7 << 20, 'y');
  const bson::Document document = bson::Document::build([&](bson::Writer& out) {
    out.add("_id", 1);
    out.add("a", text);
    out.add("b", text);
  });
  EXPECT_EQ(info_of("{$jsonSchema: {properties: {a: {minLength: 20000000, title: 't'}, b: {minLength: 20000000}}}}", document),
            bson::to_json(bson::parse_json("{failingDocumentId: 1, truncated: true, details: {operatorName: '$jsonSchema', "
                                           "schemaRulesNotSatisfied: [{operatorName: 'properties', propertiesNotSatisfied: [{propertyName: 'a', "
                                           "title: 't', details: [{operatorName: 'minLength', reason: 'specified string length was not "
                                           "satisfied'}]}, {propertyName: 'b', details: [{operatorName: 'minLength', reason: 'specified string "
                                           "length was not satisfied'}]}]}]}}")
                              .value()));
  const bson::Document items = bson::Document::build([&](bson::Writer& out) {
    out.add("_id", 1);
    bson::ArrayWriter list = out.array("a");
    list.push(document["a"]);
    list.push(document["b"]);
  });
  EXPECT_EQ(info_of("{$jsonSchema: {properties: {a: {maxItems: 1}}}}", items),
            bson::to_json(bson::parse_json("{failingDocumentId: 1, note: 'detailed error was too large'}").value()));
}

}  // namespace
}  // namespace partita::query
