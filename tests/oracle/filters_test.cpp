// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/expressions/compiled_expression.h"
#include "query/match/matcher.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_collation.h"
#include "tests/support/random_filter.h"
#include "wire/bson/json.h"

// Does mongod find the same documents as we do, and refuse the same filters with the same codes?
namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using bson::Writer;

constexpr std::string_view kCollection = "filtered";

std::string show(bson::View document) { return bson::to_json(document, bson::JsonStyle::kCanonical); }

class FiltersOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static Document run(const Document& command) { return Oracle::get()->run(command.view()); }
  static Document find(bson::View filter, bson::View collation = {}) {
    return run(Document::build([&](Writer& w) {
      w.add("find", kCollection);
      w.add("filter", filter);
      Writer(w.document("projection")).add("_id", 1);
      Writer(w.document("sort")).add("_id", 1);
      w.add("batchSize", 10000);
      if (!collation.empty()) w.add("collation", collation);
    }));
  }
};

/// The _ids found, or the code of the refusal.
std::string answer_of(const Document& reply) {
  if (reply["ok"].to_double() != 1) return "error " + std::to_string(reply["code"].exact_int64().value_or(-1));
  std::string ids;
  for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document())
    ids += std::to_string(row.value.as_document()["_id"].as_int32()) + " ";
  return ids;
}

std::string our_answer(bson::View filter, const std::vector<Document>& documents, query::Collation collation = nullptr) {
  const auto matcher = query::Matcher::parse(filter, {.collation = std::move(collation)}, query::FilterUse::kQuery);
  if (!matcher.ok()) return "error " + std::to_string(static_cast<int>(matcher.status().code()));
  std::string ids;
  query::MatchState state;
  for (const Document& document : documents) {
    if (matcher->matches(document, state)) ids += std::to_string(document["_id"].as_int32()) + " ";
    if (!state.failure.ok()) return "error " + std::to_string(static_cast<int>(state.failure.code()));
  }
  return ids;
}

/// The first document that is in one answer only.
std::string first_difference(const std::string& a, const std::string& b, const std::vector<Document>& documents) {
  for (const Document& document : documents) {
    const std::string id = " " + std::to_string(document["_id"].as_int32()) + " ";
    const bool in_a = (" " + a).find(id) != std::string::npos;
    const bool in_b = (" " + b).find(id) != std::string::npos;
    if (in_a != in_b) return show(document);
  }
  return "";
}

void fill(RandomFilter& random, std::vector<Document>& documents) {
  documents.clear();
  for (std::int32_t id = 0; id < 150; ++id) documents.push_back(random.document(id));
  Oracle::get()->fill(kCollection.data(), documents);
}

/// Of two faults in a filter, the one that is met first is told; which that is may differ.
bool both_refuse(std::string_view a, std::string_view b) { return a.starts_with("error") && b.starts_with("error"); }

TEST_P(FiltersOracle, FindTheSame) {
  RandomFilter random(GetParam());
  int refused = 0;
  int empty = 0;
  constexpr int kRounds = 2500;
  std::vector<Document> documents;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 500 == 0) fill(random, documents);
    const Document filter = random.filter();
    const std::string theirs = answer_of(find(filter));
    const std::string ours = our_answer(filter, documents);
    refused += theirs.starts_with("error") ? 1 : 0;
    empty += theirs.empty() ? 1 : 0;
    EXPECT_TRUE(theirs == ours || both_refuse(theirs, ours))
        << "round " << round << ": " << show(filter) << "\nmongod: " << theirs << "\nours:   " << ours << "\n"
        << first_difference(theirs, ours, documents);
  }
  EXPECT_LT(refused, kRounds * 2 / 3);
  EXPECT_LT(empty, kRounds * 2 / 3);
}

TEST_P(FiltersOracle, FindTheSameByCollation) {
  static constexpr std::string_view kTexts[] = {"x", "X", "\u00e9", "e", "E", "x-"};
  RandomFilter random(GetParam() + 2000, false, kTexts);
  int found = 0;
  constexpr int kRounds = 2500;
  std::vector<Document> documents;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 500 == 0) fill(random, documents);
    const Document filter = random.filter();
    const Document collation = random_collation(random.random());
    const auto made = query::Collator::make(collation);
    ASSERT_TRUE(made.ok()) << show(collation) << made.status().message();
    const std::string theirs = answer_of(find(filter, collation));
    const std::string ours = our_answer(filter, documents, *made);
    found += !theirs.empty() && theirs != our_answer(filter, documents) ? 1 : 0;
    EXPECT_TRUE(theirs == ours || both_refuse(theirs, ours))
        << "round " << round << ": " << show(filter) << " by " << show(collation) << "\nmongod: " << theirs << "\nours:   " << ours << "\n"
        << first_difference(theirs, ours, documents);
  }
  EXPECT_GT(found, 20);  // Where the collation has made a difference.
}

/// What `$` stands for in an update: "z.$" names the place, since z is a document. "none" where there is no place, empty
/// where the update was refused or found nothing.
std::string place_of(std::int32_t id, bson::View filter, std::int32_t round) {
  const Document reply = Oracle::get()->run(Document::build([&](Writer& w) {
    w.add("findAndModify", kCollection);
    {
      Writer query = w.document("query");
      query.add("_id", id);
      query.elements(filter);
    }
    {
      Writer update = w.document("update");
      Writer(update.document("$set")).add("z.$", round);
    }
    w.add("new", true);
  }).view());
  if (reply["ok"].to_double() != 1) return reply["code"].exact_int64() == 2 ? "none" : "";
  if (!reply["value"].is_document()) return "";
  for (const bson::Field& place : reply["value"].as_document()["z"].as_document())
    if (place.value.exact_int64() == round) return std::string(place.name);
  return "";
}

TEST_P(FiltersOracle, AgreeAboutThePlace) {
  RandomFilter random(GetParam() + 1000, false);  // Some keywords of schemas have a say there too, and nobody relies on it.
  std::vector<Document> documents;
  for (std::int32_t id = 0; id < 40; ++id) {
    const Document document = random.document(id);
    documents.push_back(Document::build([&](Writer& w) {
      w.elements(document.view());
      w.document("z");
    }));
  }
  Oracle::get()->fill(kCollection.data(), documents);
  int places = 0;
  for (int round = 0; round < 4000; ++round) {
    const Document filter = random.filter();
    const auto matcher = query::Matcher::parse(filter);
    if (!matcher.ok()) continue;
    query::MatchState state;
    for (const Document& document : documents) {
      if (!matcher->matches(document, state) || !random.random().one_in(4)) continue;
      const std::string place = place_of(document["_id"].as_int32(), filter, round);
      places += place.empty() || place == "none" ? 0 : 1;
      EXPECT_EQ(place, state.element < 0 ? "none" : std::to_string(state.element)) << show(filter) << " on " << show(document);
    }
  }
  EXPECT_GT(places, 10);
}

class OperandsOracle : public FiltersOracle {
 protected:
  /// A filter with the name and the operand in their places.
  static void expect_same_code(std::string_view form, std::string_view name, std::string_view operand) {
    std::string text(form);
    text.replace(text.find("NAME"), 4, name);
    text.replace(text.find("OPERAND"), 7, operand);
    const auto filter = bson::parse_json(text);
    ASSERT_TRUE(filter.ok()) << text;
    const std::vector<Document> none;
    std::string theirs = answer_of(find(filter->view()));
    if (theirs == "error 291") theirs.clear();  // $near is well formed, and there is no index.
    const std::string ours = our_answer(filter->view(), none);
    const bool two_faults = operand == "[{$elemMatch: {a: 1}}, 1]" && both_refuse(theirs, ours);
    EXPECT_TRUE(theirs == ours || two_faults || (!theirs.starts_with("error") && !ours.starts_with("error")))
        << text << "\nmongod: " << theirs << "\nours:   " << ours;
  }
};

constexpr std::string_view kOperands[] = {
    "5", "-5", "0", "5.5", "5.0", "{$numberDouble: 'NaN'}", "{$numberDouble: '-Infinity'}", "1e30", "1099511627776", "2147483648",
    "{$numberDecimal: '5'}", "{$numberDecimal: '5.5'}", "{$numberDecimal: 'NaN'}", "{$numberDecimal: '1E400'}", "'x'", "''", "'('",
    "'string'", "'object'", "null", "{$undefined: true}", "true", "false", "{}", "{a: 1}", "{a: {}}", "{a: []}", "{a: ['b']}",
    "{a: ['b', 'b']}", "{'(': {}}", "{$gt: 1}", "{$foo: 1}", "{$ref: 'c', $id: 1}", "{$id: 1}", "{type: 'string'}", "{type: 5}",
    "[]", "[1]", "[1, 2]", "[0, 1]", "[1, 2, 3]", "['x']", "['x', 'x']", "['x', 1]", "[1.5]", "[null]", "[{}]", "[[]]", "[{$gt: 1}]",
    "[{$foo: 1}]", "[{$elemMatch: {a: 1}}]", "[{$elemMatch: 1}]", "[1, {$elemMatch: {a: 1}}]", "[{$elemMatch: {a: 1}}, 1]",
    "[{type: 'string'}]", "['string']", "[/x/]", "[/x/q]", "[{$undefined: true}]", "[-1]", "[2147483648]", "[1, 1.0]", "/x/", "/x/i",
    "{$binary: {base64: 'AQE=', subType: '00'}}", "{$oid: '0102030405060708090a0b0c'}", "{$date: 0}", "{$timestamp: {t: 1, i: 1}}",
    "{$minKey: 1}", "{$maxKey: 1}", "{$code: 'x'}", "{$symbol: 'x'}"};

TEST_P(OperandsOracle, OfFieldsAreRefusedAlike) {
  Oracle::get()->fill(kCollection.data(), std::vector<Document>{});
  for (const auto& [name, entry] : query::Registry<query::MatchOperator>::all()) {
    if (entry.parse == nullptr) continue;
    for (const std::string_view operand : kOperands)
      for (const std::string_view form : {"{a: {NAME: OPERAND}}", "{a: {$not: {NAME: OPERAND}}}", "{a: {$elemMatch: {NAME: OPERAND}}}",
                                          "{a: {$regex: 'x', NAME: OPERAND}}"})
        expect_same_code(form, name, operand);
  }
  for (const std::string_view operand : kOperands) expect_same_code("{a: {NAME: OPERAND}}", "$not", operand);
}

TEST_P(OperandsOracle, OfFiltersAreRefusedAlike) {
  Oracle::get()->fill(kCollection.data(), std::vector<Document>{});
  for (const std::string_view operand : kOperands)
    for (const std::string_view name : {"$and", "$or", "$nor", "$sampleRate", "$jsonSchema", "$comment", "$foo", "$gt", "$not", "$id", "a"})
      for (const std::string_view form : {"{NAME: OPERAND}", "{a: {$elemMatch: {NAME: OPERAND}}}", "{$or: [{NAME: OPERAND}]}"})
        expect_same_code(form, name, operand);
}

TEST_P(OperandsOracle, OfSchemasAreRefusedAlike) {
  Oracle::get()->fill(kCollection.data(), std::vector<Document>{});
  constexpr std::string_view kKeywords[] = {
      "type", "bsonType", "required", "properties", "patternProperties", "additionalProperties", "minProperties", "maxProperties",
      "dependencies", "items", "additionalItems", "minItems", "maxItems", "uniqueItems", "enum", "allOf", "anyOf", "oneOf", "not",
      "minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxLength", "pattern", "title", "description", "$schema",
      "$ref", "default", "definitions", "format", "id", "foo"};
  for (const std::string_view keyword : kKeywords)
    for (const std::string_view operand : kOperands)
      for (const std::string_view form : {"{$jsonSchema: {NAME: OPERAND}}", "{$jsonSchema: {properties: {a: {NAME: OPERAND}}}}",
                                          "{$jsonSchema: {minimum: 1, maximum: 2, items: [{}], NAME: OPERAND}}"})
        expect_same_code(form, keyword, operand);
}

INSTANTIATE_TEST_SUITE_P(Once, OperandsOracle, testing::Values(1));
INSTANTIATE_TEST_SUITE_P(Seeds, FiltersOracle, seeds(3));

}  // namespace
}  // namespace partita::test
