// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/diff.h"

#include <gtest/gtest.h>

#include <random>

#include "query/updates/update.h"
#include "tests/support/random_bson.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Buffer;
using bson::Document;
using bson::View;

Document updated(View before, std::string_view operators) {
  const Document source = *bson::parse_json(operators);
  const Update update = *Update::parse(bson::Value::of(source.view()));
  Buffer after;
  EXPECT_TRUE(update.apply(before, after).ok()) << operators;
  return Document(std::move(after));
}

std::size_t diff_size(View before, View after) {
  Buffer diff;
  make_diff(before, after, diff);
  Buffer made;
  EXPECT_TRUE(apply_diff(before, diff.bytes(), made).ok());
  EXPECT_EQ(View::trusted(made.data()), after);
  return diff.size();
}

TEST(Diff, leads_from_any_document_to_any_other) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  test::RandomBson random(seed);
  for (int round = 0; round < 5000; ++round) diff_size(random.document(), random.document());
}

TEST(Diff, of_equal_documents_is_nothing_but_the_size) {
  const Document document = *bson::parse_json("{a: 1, b: [1, 2]}");
  EXPECT_EQ(diff_size(document, document), 1u);
}

TEST(Diff, of_a_small_change_in_a_large_document_is_small) {
  const std::string text(5000, 'x');
  const Document before = *bson::parse_json("{_id: 1, a: 1, b: '" + text + "', c: {d: [1, 2, '" + text + "', 4]}, z: 1}");
  EXPECT_LT(diff_size(before, updated(before, "{$inc: {a: 1, z: 1}}")), 20u);
  EXPECT_LT(diff_size(before, updated(before, "{$set: {'c.d.4': 'more'}}")), 40u);
  EXPECT_LT(diff_size(before, updated(before, "{$unset: {a: 1}, $set: {y: 1}}")), 30u);
}

TEST(Diff, that_is_damaged_or_belongs_elsewhere_is_refused) {
  const Document before = *bson::parse_json("{_id: 1, a: 1, b: 'some text'}");
  const Document after = *bson::parse_json("{_id: 1, a: 2, b: 'some longer text', c: 1}");
  Buffer diff;
  make_diff(before, after, diff);
  for (std::size_t length = 0; length < diff.size(); ++length) {
    Buffer made;
    EXPECT_FALSE(apply_diff(before, diff.bytes().first(length), made).ok()) << length;
  }
  Buffer made;
  EXPECT_FALSE(apply_diff(View(), diff.bytes(), made).ok());
  constexpr std::uint8_t kWild[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  EXPECT_FALSE(apply_diff(before, kWild, made).ok());
}

}  // namespace
}  // namespace partita::query
