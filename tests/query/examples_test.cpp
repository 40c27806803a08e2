// SPDX-License-Identifier: GPL-3.0-or-later
// The examples that stand beside every operator are its documentation; here they are run.
#include <gtest/gtest.h>

#include "query/accumulators/accumulator.h"
#include "query/expressions/expression.h"
#include "query/match/operator.h"
#include "query/stages/stage.h"
#include "query/updates/field_update.h"
#include "tests/query/language.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using query::Example;
using query::Registry;

std::string command(std::string_view verb, const Example& example) {
  return std::string(verb).append(" ").append(example.code).append(" on ").append(example.given);
}

/// An update that changes nothing yields the document it was given.
std::string run(std::string_view verb, const Example& example) {
  const std::string answer = run_language(command(verb, example));
  return answer == "unchanged" ? normalize_answer(example.given) : answer;
}

/// An array of documents as an array of three arrays of them, in the same order.
std::string in_three(std::string_view array) {
  const auto parsed = bson::parse_json("{v: " + std::string(array) + "}");
  std::vector<std::string> parts(3);
  std::size_t i = 0;
  const bson::View documents = (*parsed)["v"].as_document();
  const std::size_t count = documents.count();
  for (const bson::Field& document : documents)
    parts[i++ * 3 / count].append(bson::to_json(document.value, bson::JsonStyle::kCanonical)).append(",");
  return "[[" + parts[0] + "],[" + parts[1] + "],[" + parts[2] + "]]";
}

template <class Entry>
void run_examples(std::string_view verb) {
  for (const auto& [name, entry] : Registry<Entry>::all()) {
    EXPECT_FALSE(entry.summary.empty()) << name;
    for (const Example& example : entry.examples)
      EXPECT_EQ(run(verb, example), normalize_answer(example.expected)) << name << ": " << command(verb, example);
  }
}

template <class Entry>
void expect_examples_where(bool (*works)(const Entry&)) {
  for (const auto& [name, entry] : Registry<Entry>::all())
    EXPECT_EQ(works(entry), !entry.examples.empty()) << name << ": what works has examples, what does not has none";
}

TEST(Examples, of_match_operators) { run_examples<query::MatchOperator>("match"); }
TEST(Examples, of_filter_operators) { run_examples<query::FilterOperator>("match"); }
TEST(Examples, of_update_operators) { run_examples<query::UpdateOperator>("update"); }
TEST(Examples, of_expressions) { run_examples<query::Expression>("evaluate"); }

/// Once over one stream and once over a stream in three parts: the answer must be the same.
TEST(Examples, of_stages_on_one_and_on_three_partitions) {
  for (const auto& [name, entry] : Registry<query::StageKind>::all()) {
    EXPECT_FALSE(entry.summary.empty()) << name;
    for (const Example& example : entry.examples) {
      const std::string stage = "[" + std::string(example.code) + "] on ";
      const std::string expected = normalize_answer(example.expected);
      EXPECT_EQ(run_language("aggregate " + stage + std::string(example.given)), expected) << name;
      EXPECT_EQ(run_language("split " + stage + in_three(example.given)), expected) << name;
    }
  }
}

/// An accumulator's example is a $group of everything into one.
TEST(Examples, of_accumulators_on_one_and_on_three_partitions) {
  for (const auto& [name, entry] : Registry<query::Accumulator>::all()) {
    EXPECT_FALSE(entry.summary.empty()) << name;
    for (const Example& example : entry.examples) {
      const std::string stage = "[{$group: {_id: null, v: " + std::string(example.code) + "}}] on ";
      const bool none = example.expected == "missing";
      const std::string expected = normalize_answer(none ? "[]" : "[{_id: null, v: " + std::string(example.expected) + "}]");
      EXPECT_EQ(run_language("aggregate " + stage + std::string(example.given)), expected) << name;
      EXPECT_EQ(run_language("split " + stage + in_three(example.given)), expected) << name;
    }
  }
}

TEST(Examples, stand_beside_everything_that_works) {
  expect_examples_where<query::MatchOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::FilterOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::UpdateOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::Expression>([](const auto&) { return true; });
  expect_examples_where<query::Accumulator>([](const auto& entry) { return entry.works(); });
  expect_examples_where<query::StageKind>([](const auto& entry) { return entry.parse != nullptr || entry.parse_parts != nullptr; });
}

}  // namespace
}  // namespace partita::test
