// SPDX-License-Identifier: GPL-3.0-or-later
// The ranges of keys that are made for a filter hold the keys of exactly those values that the filter matches, as far as
// values are not arrays; a filter narrows nothing down that it matches.
#include <gtest/gtest.h>

#include <random>

#include "query/plan/plan.h"
#include "tests/support/random_bson.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using keys::Direction;

bool in_ranges(const std::vector<KeyRange>& ranges, std::string_view key) {
  for (const KeyRange& range : ranges)
    if (key >= range.lower && (range.upper.empty() || key < range.upper)) return true;
  return false;
}

bson::Document filter_of(test::RandomBson& random, test::Random& dice) {
  constexpr std::string_view kOperators[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$in"};
  const std::string_view name = dice.pick(kOperators);
  const bson::OwnedValue a = random.scalar();
  const bson::OwnedValue b = random.scalar();
  return bson::Document::build([&](bson::Writer& filter) {
    bson::Writer operators = filter.document("a");
    if (name == "$in") {
      bson::ArrayWriter list = operators.array("$in");
      list.push(a.get());
      list.push(b.get());
      return;
    }
    operators.add(name, a.get());
    if (name == "$gt") operators.add("$lte", b.get());
  });
}

void check(Direction direction, std::uint64_t seed) {
  test::RandomBson random(seed);
  test::Random dice(seed);
  const IndexDescription index{.name = "a", .fields = {{"a", direction}}};
  int narrowed = 0;
  for (int round = 0; round < 3000; ++round) {
    const bson::Document filter = filter_of(random, dice);
    const auto matcher = Matcher::parse(filter);
    if (!matcher.ok()) continue;  // Undefined and regular expressions are refused.
    const PlanRequest request{.filter = &matcher->tree(), .indexes = {&index, 1}};
    const Plan plan = choose_plan(request);
    if (plan.access != Plan::Access::kIndexScan) continue;
    ++narrowed;
    const std::vector<KeyRange> ranges = plan.ranges();
    for (int i = 0; i < 10; ++i) {
      const bson::OwnedValue value = random.scalar();
      const auto document = bson::Document::build([&](bson::Writer& out) { out.add("a", value.get()); });
      bson::Buffer key;
      keys::encode(value.get(), direction, key);
      key.append("record key");
      if (!matcher->matches(document)) continue;
      EXPECT_TRUE(in_ranges(ranges, key.text())) << bson::to_json(filter) << " on " << bson::to_json(document);
    }
  }
  EXPECT_GT(narrowed, 1000);
}

TEST(KeyRanges, hold_what_the_filter_matches) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  check(Direction::kAscending, seed);
  check(Direction::kDescending, seed);
}

std::vector<KeyRange> ranges_of(std::string_view filter, std::vector<IndexDescription::Field> fields) {
  const auto parsed = bson::parse_json(filter);
  const auto matcher = Matcher::parse(*parsed);
  const IndexDescription index{.name = "i", .fields = std::move(fields)};
  const PlanRequest request{.filter = &matcher->tree(), .indexes = {&index, 1}};
  return choose_plan(request).ranges();
}

bool holds(const std::vector<KeyRange>& ranges, std::initializer_list<Value> values,
           std::initializer_list<Direction> directions) {
  bson::Buffer key;
  auto direction = directions.begin();
  for (const Value value : values) keys::encode(value, *direction++, key);
  return in_ranges(ranges, key.text());
}

TEST(KeyRanges, leave_out_what_lies_outside) {
  constexpr auto kUp = Direction::kAscending;
  constexpr auto kDown = Direction::kDescending;
  auto number = [](int n) { return Value::of(std::int32_t{n}); };
  const auto ranges = ranges_of("{a: {$in: [1, 3]}, b: {$gt: 5, $lte: 9}}", {{"a", kUp}, {"b", kDown}});
  EXPECT_EQ(ranges.size(), 2u);
  for (const int a : {0, 1, 2, 3, 4})
    for (const int b : {4, 5, 6, 9, 10})
      EXPECT_EQ(holds(ranges, {number(a), number(b)}, {kUp, kDown}), (a == 1 || a == 3) && b > 5 && b <= 9) << a << b;
  EXPECT_FALSE(holds(ranges_of("{a: {$gt: 5}}", {{"a", kUp}}), {Value::of(true)}, {kUp}));
  EXPECT_FALSE(holds(ranges_of("{a: {$lt: 5}}", {{"a", kDown}}), {Value::null()}, {kDown}));
}

TEST(KeyRanges, are_ascending_and_apart) {
  const auto ranges = ranges_of("{a: {$in: [5, 'x', null, 1, 5.0, true]}}", {{"a", Direction::kDescending}});
  ASSERT_EQ(ranges.size(), 5u);
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].upper, ranges[i].lower);
}

/// How the pattern begins decides, and every text that it matches must lie within: also where PCRE reads it otherwise than
/// a glance does.
TEST(KeyRanges, hold_what_regular_expressions_match) {
  constexpr std::string_view kPatterns[] = {"^ab",      "^ab*",     "^ab?c",      "^a|b",   "^aé*",      "^aé",       "\\Aab",
                                            "^a\\.b",   "^a\\Qb.\\E", "^a\\Qb\\E*", "^ab\\E*", "^ab(?#c)*", "^ab{0,1}c", "^ab{2}",
                                            "^(ab)*",   "^a[b]",    "^ab+c",      "^a b",   "^ab #c\n*", "^a\\db",    "^éa"};
  constexpr std::string_view kTexts[] = {"",  "a",  "ab", "abc", "ac",  "abb", "b",   "aé",  "aéé", "a.b", "aè",
                                         "A", "AB", "aa", "ab.", "a b", "a1b", "éa", "x\nab", "abbc", "ab.c", "a.",  "aé.b"};
  for (const std::string_view pattern : kPatterns) {
    for (const std::string_view options : {"", "i", "m", "x", "s", "xs"}) {
      const auto filter = bson::Document::build([&](bson::Writer& out) { out.add("a", bson::Regex{pattern, options}); });
      const auto matcher = Matcher::parse(filter);
      ASSERT_TRUE(matcher.ok()) << pattern;
      for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
        const IndexDescription index{.name = "a", .fields = {{"a", direction}}};
        const PlanRequest request{.filter = &matcher->tree(), .indexes = {&index, 1}};
        const std::vector<KeyRange> ranges = choose_plan(request).ranges();
        for (const std::string_view text : kTexts) {
          const auto document = bson::Document::build([&](bson::Writer& out) { out.add("a", text); });
          bson::Buffer key;
          keys::encode(document["a"], direction, key);
          EXPECT_TRUE(!matcher->matches(document) || in_ranges(ranges, key.text())) << pattern << "/" << options << " " << text;
        }
      }
    }
  }
}

/// Of an array each element has a key; that one that $elemMatch is satisfied by must lie within both edges.
TEST(KeyRanges, hold_an_element_that_elemMatch_matches) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  test::RandomBson random(seed);
  const IndexDescription index{.name = "a", .fields = {{"a"}}, .multikey = true};
  int matched = 0;
  for (int round = 0; round < 3000; ++round) {
    const bson::OwnedValue low = random.scalar();
    const bson::OwnedValue high = random.scalar();
    const auto filter = bson::Document::build([&](bson::Writer& out) {
      bson::Writer field = out.document("a");
      bson::Writer operators = field.document("$elemMatch");
      operators.add("$gte", low.get());
      operators.add("$lte", high.get());
    });
    const auto matcher = Matcher::parse(filter);
    if (!matcher.ok()) continue;
    const PlanRequest request{.filter = &matcher->tree(), .indexes = {&index, 1}};
    const std::vector<KeyRange> ranges = choose_plan(request).ranges();
    const auto document = bson::Document::build([&](bson::Writer& out) {
      bson::ArrayWriter list = out.array("a");
      for (const bson::OwnedValue* value : {&low, &high}) list.push(value->get());
    });
    if (!matcher->matches(document)) continue;
    ++matched;
    bool found = ranges == std::vector<KeyRange>{{}};
    for (const bson::Field& element : document["a"].as_document()) {
      bson::Buffer key;
      keys::encode(element.value, key);
      found |= in_ranges(ranges, key.text());
    }
    EXPECT_TRUE(found) << bson::to_json(filter) << " on " << bson::to_json(document);
  }
  EXPECT_GT(matched, 20);
}

}  // namespace
}  // namespace partita::query
