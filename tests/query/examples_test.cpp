// SPDX-License-Identifier: GPL-3.0-or-later
// The examples that stand beside every operator are its documentation; here they are run.
#include <gtest/gtest.h>

#include "query/expressions/expression.h"
#include "query/match/operator.h"
#include "query/updates/field_update.h"
#include "tests/query/language.h"

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

TEST(Examples, stand_beside_everything_that_works) {
  expect_examples_where<query::MatchOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::FilterOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::UpdateOperator>([](const auto& entry) { return entry.parse != nullptr; });
  expect_examples_where<query::Expression>([](const auto&) { return true; });
}

}  // namespace
}  // namespace partita::test
