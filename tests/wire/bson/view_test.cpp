// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/view.h"

#include <bson/bson.h>
#include <gtest/gtest.h>

#include "tests/support/random_bson.h"
#include "wire/bson/json.h"

namespace partita::bson {
namespace {

Document doc(std::string_view json) { return parse_json(json).value(); }

TEST(View, FindsTheFirstFieldOfAName) {
  const Document document = doc("{a: 1, bb: 2, a: 3, '': 4, exactly8: 5, longer_than_eight: 6, exactly7: 7}");
  EXPECT_EQ(document["a"].as_int32(), 1);
  EXPECT_EQ(document["bb"].as_int32(), 2);
  EXPECT_EQ(document[""].as_int32(), 4);
  EXPECT_EQ(document["exactly8"].as_int32(), 5);
  EXPECT_EQ(document["longer_than_eight"].as_int32(), 6);
  EXPECT_EQ(document["exactly7"].as_int32(), 7);
  for (const char* none : {"b", "bbb", "exactly", "exactly88", "longer_than_eigh", "longer_than_eight_"}) {
    EXPECT_TRUE(document[none].missing()) << none;
  }
}

TEST(View, TellsMissingFromNull) {
  const Document document = doc("{a: null}");
  EXPECT_TRUE(document["a"].is_null());
  EXPECT_TRUE(document.view().has("a"));
  EXPECT_FALSE(document["b"].is_null());
  EXPECT_FALSE(document.view().has("b"));
  EXPECT_TRUE(document["b"].is_nullish());
}

TEST(View, FollowsPathsThroughDocumentsOnly) {
  const Document document = doc("{a: {b: {c: 5}, d: [{e: 1}]}}");
  EXPECT_EQ(document.view().at_path("a.b.c").as_int32(), 5);
  EXPECT_TRUE(document.view().at_path("a.d.e").missing());
  EXPECT_TRUE(document.view().at_path("a.b.c.d").missing());
  EXPECT_TRUE(document.view().at_path("a.x").missing());
}

TEST(View, IsEmptyByDefault) {
  EXPECT_TRUE(View().empty());
  EXPECT_EQ(View().size(), 5);
  EXPECT_TRUE(View().begin() == View().end());
  EXPECT_TRUE(Document().view() == View());
  EXPECT_EQ(doc("{a: 1, b: [1, 2]}").view().count(), 2);
}

TEST(Value, HoldsScalarsAndPointsAtTheRest) {
  const Document document = doc("{d: 1.5, i: -5, l: NumberLong(-6), b: true, t: Date(-7), s: 'text', n: NumberDecimal('2.50')}");
  EXPECT_EQ(document["d"].as_double(), 1.5);
  EXPECT_EQ(document["i"].as_int32(), -5);
  EXPECT_EQ(document["i"].as_int64(), -5);
  EXPECT_EQ(document["l"].as_int64(), -6);
  EXPECT_TRUE(document["b"].as_bool());
  EXPECT_EQ(document["t"].as_date(), Date{-7});
  EXPECT_EQ(document["s"].as_string(), "text");
  EXPECT_EQ(document["n"].to_double(), 2.5);
  EXPECT_EQ(document["s"].to_double(), std::nullopt);
}

TEST(Value, GivesWholeNumbersOnlyWithoutLoss) {
  const Document document = doc(R"([5, 5.0, NumberLong(5), NumberDecimal("5.00"), 5.5, NaN, 9223372036854775808.0, '5'])");
  for (const char* whole : {"0", "1", "2", "3"}) EXPECT_EQ(document[whole].exact_int64(), 5) << whole;
  for (const char* other : {"4", "5", "6", "7"}) EXPECT_EQ(document[other].exact_int64(), std::nullopt) << other;
}

TEST(Value, IsTruthyAsMongodSeesIt) {
  const Document truthy = doc("[1, -0.5, NaN, NumberDecimal('1'), '', {}, [], true, Date(0), MinKey]");
  const Document falsy = doc("[0, -0.0, NumberLong(0), NumberDecimal('-0.00'), false, null, undefined]");
  for (const Field& field : truthy.view()) EXPECT_TRUE(field.value.truthy()) << to_shell(field);
  for (const Field& field : falsy.view()) EXPECT_FALSE(field.value.truthy()) << to_shell(field);
  EXPECT_FALSE(Value().truthy());
}

/// libbson walks the same bytes: names, types and places must be the same.
TEST(ViewRandom, WalksAsLibbsonDoes) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Document document = test::RandomBson(seed, {.max_depth = 2, .max_fields = 12}).document();
    bson_t borrowed;
    bson_iter_t theirs;
    ASSERT_TRUE(bson_init_static(&borrowed, document.view().data(), document.view().size()));
    ASSERT_TRUE(bson_iter_init(&theirs, &borrowed));
    for (auto ours = document.view().begin(); ours != document.view().end(); ++ours) {
      ASSERT_TRUE(bson_iter_next(&theirs)) << "seed " << seed;
      ASSERT_EQ(ours->name, bson_iter_key(&theirs)) << "seed " << seed;
      ASSERT_EQ(ours->value.type(), static_cast<Type>(bson_iter_type(&theirs))) << "seed " << seed;
      ASSERT_EQ(ours.element() - document.view().data(), bson_iter_offset(&theirs)) << "seed " << seed;
      ASSERT_FALSE(document[ours->name].missing()) << "seed " << seed;
    }
    ASSERT_FALSE(bson_iter_next(&theirs)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::bson
