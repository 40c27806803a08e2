// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/diff.h"

#include <gtest/gtest.h>

#include <random>

#include "query/updates/update.h"
#include "tests/support/random.h"
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

/// Two hundred comments of a hundred bytes.
Document with_long_array() {
  return Document::build([](bson::Writer& out) {
    out.add("_id", 1);
    bson::ArrayWriter comments = out.array("c");
    for (int i = 0; i < 200; ++i) {
      bson::Writer comment = comments.document();
      comment.add("n", i);
      comment.add("text", std::string(90, static_cast<char>('a' + i % 26)));
    }
    comments.close();
    out.add("z", "end");
  });
}

TEST(Diff, of_a_change_in_a_long_array_is_what_has_changed_and_new_names) {
  const Document before = with_long_array();
  ASSERT_GT(before.view().size(), 20000u);
  constexpr std::size_t kNames = 200 * 6;  // Of all elements, where they have moved.
  const auto size_of = [&](std::string_view operators) { return diff_size(before, updated(before, operators)); };
  EXPECT_LT(size_of("{$push: {c: {n: 1, text: 'new'}}}"), 60u);
  EXPECT_LT(size_of("{$addToSet: {c: {n: 1, text: 'new'}}}"), 60u);
  EXPECT_LT(size_of("{$pop: {c: 1}}"), 40u);
  EXPECT_LT(size_of("{$set: {'c.7.n': 99}}"), 20u);
  EXPECT_LT(size_of("{$unset: {'c.7': 1}}"), 20u);
  EXPECT_LT(size_of("{$inc: {'c.$[].n': 1}}"), 200u * 5);
  EXPECT_LT(size_of("{$pop: {c: -1}}"), kNames);
  EXPECT_LT(size_of("{$pull: {c: {n: {$in: [3, 4, 50, 120]}}}}"), kNames);
  EXPECT_LT(size_of("{$push: {c: {$each: [{n: 1, text: 'new'}], $position: 0}}}"), kNames + 60);
  EXPECT_LT(size_of("{$push: {c: {$each: [{n: 1, text: 'new'}], $slice: -200}}}"), kNames + 60);
  EXPECT_LT(size_of("{$rename: {z: 'y'}}"), 40u);
}

TEST(Diff, of_arrays_with_values_that_stand_there_often_is_small_too) {
  const Document before = Document::build([](bson::Writer& out) {
    bson::ArrayWriter zeros = out.array("a");
    for (int i = 0; i < 1000; ++i) zeros.push(i == 0 ? 7 : 0);
  });
  EXPECT_LT(diff_size(before, updated(before, "{$set: {'a.0': 0}}")), 20u);
  EXPECT_LT(diff_size(before, updated(before, "{$set: {'a.500': 7}}")), 20u);
}

/// Arrays that are nearly the same, in every way that random edits find.
TEST(Diff, leads_from_any_array_to_any_other) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  test::Random random(seed);
  const auto array_of = [](const std::vector<std::int64_t>& values) {
    return Document::build([&](bson::Writer& out) {
      bson::ArrayWriter array = out.array("a");
      for (const std::int64_t value : values) {
        if (value % 3 == 0) array.push(value);
        if (value % 3 == 1) array.push(std::string(static_cast<std::size_t>(value), 'x'));
        if (value % 3 == 2) bson::Writer(array.document()).add("v", value);
      }
    });
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> before(random.below(30));
    for (std::int64_t& value : before) value = random.between(0, 20);
    std::vector<std::int64_t> after = before;
    for (std::uint64_t edits = random.below(5); edits-- > 0;) {
      const auto at = after.begin() + static_cast<std::ptrdiff_t>(random.below(after.size() + 1));
      if (at == after.end() || random.one_in(2)) {
        after.insert(at, random.between(0, 20));
      } else {
        after.erase(at);
      }
    }
    diff_size(array_of(before), array_of(after));
  }
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
