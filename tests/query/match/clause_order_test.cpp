// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which clauses are asked changes while a scan goes on. What they answer must not.
#include <gtest/gtest.h>

#include "query/match/matcher.h"
#include "tests/support/random_filter.h"
#include "wire/bson/document.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

constexpr std::uint32_t kAllMovable = 0xff;

TEST(ClauseOrder, WhatTurnsDownMoreComesForward) {
  const int owner = 0;
  ClauseOrder order;
  order.begin(&owner, 3);
  order.note(2, kAllMovable);
  EXPECT_EQ(order[1], 2U);
  order.note(1, kAllMovable);
  EXPECT_EQ(order[0], 2U);
  for (int i = 0; i < 100; ++i) order.note(0, kAllMovable);
  order.note(1, kAllMovable);
  EXPECT_EQ(order[0], 2U) << "the other one turns down less";
  order.begin(&owner, 3);
  EXPECT_EQ(order[0], 2U) << "still the same conjunction";
  order.begin(&order, 3);
  EXPECT_EQ(order[0], 0U) << "another one";
}

TEST(ClauseOrder, FollowsDocumentsThatBecomeOthers) {
  const int owner = 0;
  ClauseOrder order;
  order.begin(&owner, 2);
  for (int i = 0; i < 10'000'000; ++i) order.note(0, kAllMovable);
  int needed = 0;
  while (order[0] == 0 && needed < 1'000'000) {
    order.note(1, kAllMovable);
    ++needed;
  }
  EXPECT_LT(needed, 100'000);
}

TEST(ClauseOrder, WhatMayFailStaysWhereItWasWritten) {
  const int owner = 0;
  ClauseOrder order;
  order.begin(&owner, 3);
  constexpr std::uint32_t kOutermost = 0b101;
  for (int i = 0; i < 10; ++i) {
    order.note(1, kOutermost);
    order.note(2, kOutermost);
    order.note(2, kOutermost);
  }
  EXPECT_EQ(order[0], 0U);
  EXPECT_EQ(order[1], 1U);
  EXPECT_EQ(order[2], 2U);
}

/// {$and: [several filters]}: conjunctions of clauses, now and then with something else among them.
bson::Document conjunction(test::RandomFilter& random) {
  return bson::Document::build([&](bson::Writer& out) {
    bson::ArrayWriter all = out.array("$and");
    for (std::uint64_t left = 2 + random.random().below(3); left > 0; --left) all.push(random.filter());
  });
}

class ClauseOrderOf : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ClauseOrderOf, AnswersAreThoseOfTheWrittenOrder) {
  test::RandomFilter random(GetParam(), false);
  int matched = 0;
  for (int i = 0; i < 1000; ++i) {
    const bson::Document filter = conjunction(random);
    const auto matcher = Matcher::parse(filter);
    if (!matcher.ok()) continue;
    MatchState used;
    for (int k = 0; k < 50; ++k) {
      const bson::Document document = random.document(k);
      MatchState fresh;
      const bool matches = matcher->matches(document, fresh);
      ASSERT_EQ(matcher->matches(document, used), matches) << bson::to_json(filter, bson::JsonStyle::kRelaxed);
      ASSERT_EQ(used.failure.code(), fresh.failure.code());
      used.failure = {};
      if (!matches) continue;
      ++matched;
      ASSERT_EQ(used.element, fresh.element) << bson::to_json(filter, bson::JsonStyle::kRelaxed);
    }
  }
  EXPECT_GT(matched, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClauseOrderOf, testing::Range<std::uint64_t>(1, 5));

}  // namespace
}  // namespace partita::query
