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
};

TEST(FailureDetails, TellWhatMongodTells) {
  for (const Case& one : kCases) {
    const bson::Document filter = bson::parse_json(one.filter).value();
    EXPECT_EQ(bson::to_json(failure_details(filter, bson::parse_json(one.document).value())),
              bson::to_json(bson::parse_json(one.details).value()))
        << one.filter;
  }
}

// What is told of a filter that nests as deep as filters may can be sent: documents end at 200 levels.
TEST(FailureDetails, StayShallowForDeepFilters) {
  std::string filter = "{a: 1}";
  for (int depth = 0; depth < 45; ++depth) filter = "{$or: [{$and: [" + filter + "]}]}";
  const bson::Document parsed = bson::parse_json(filter).value();
  ASSERT_TRUE(Matcher::parse(parsed).ok());
  const bson::Document told = failure_details(parsed, bson::parse_json("{a: 2}").value());
  EXPECT_LT(bson::depth(told.view()), 180);
  EXPECT_TRUE(bson::validate(told.view().bytes()).ok());
}

}  // namespace
}  // namespace partita::query
