// SPDX-License-Identifier: GPL-3.0-or-later
// An expression of a few bytes may ask for more than there is memory: what it makes is bounded, and what a loop leaves
// behind is given back.
#include <gtest/gtest.h>

#include "query/expressions/compiled_expression.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

struct Evaluated {
  Code code = Code::OK;
  std::size_t reserved = 0;
};

/// Over {n: n, s: a text of a megabyte}, so that nothing is folded.
Evaluated evaluate(const std::string& text, int n) {
  const bson::Document source = bson::parse_json("{v: " + text + "}").value();
  const auto expression = CompiledExpression::compile(source["v"]);
  if (!expression.ok()) return {expression.status().code()};
  const bson::Document document = bson::Document::build([&](bson::Writer& w) {
    w.add("n", n);
    w.add("s", std::string(1 << 20, 'x'));
  });
  Arena arena;
  const auto value = expression->evaluate(document, arena);
  return {value.status().code(), arena.reserved()};
}

TEST(ExpressionLimits, EndAStringThatDoubles) {
  const std::string doubled = "{$reduce: {input: {$range: [0, '$n']}, initialValue: 'x', in: {$concat: ['$$value', '$$value']}}}";
  EXPECT_EQ(evaluate(doubled, 20).code, Code::OK);
  EXPECT_EQ(evaluate(doubled, 100).code, Code{13548});
}

TEST(ExpressionLimits, EndAnArrayThatDoubles) {
  const std::string doubled = "{$reduce: {input: {$range: [0, '$n']}, initialValue: ['$s'], in: {$concatArrays: ['$$value', '$$value']}}}";
  EXPECT_EQ(evaluate(doubled, 4).code, Code::OK);
  EXPECT_EQ(evaluate(doubled, 100).code, Code::BSONObjectTooLarge);
}

TEST(ExpressionLimits, EndManyStrings) {
  EXPECT_EQ(evaluate("{$map: {input: {$range: [0, '$n']}, in: {$concat: ['$s', 'x']}}}", 1000).code, Code::ExceededMemoryLimit);
}

TEST(ExpressionLimits, EndWhatNestsTooDeep) {
  const std::string nested = "{$reduce: {input: {$range: [0, '$n']}, initialValue: 1, in: ['$$value']}}";
  EXPECT_EQ(evaluate(nested, 190).code, Code::OK);
  EXPECT_EQ(evaluate(nested, 2000).code, Code::Overflow);
}

/// Without a loop it takes a long program, each of whose instructions adds a level.
TEST(ExpressionLimits, EndWhatALongProgramNestsTooDeep) {
  const auto stairs = [](int steps) {
    std::string text = "'$$v'";
    for (int i = 0; i < steps; ++i) {
      std::string value = i + 1 == steps ? "['$s']" : "'$$v'";
      for (int level = 0; level < 50; ++level) value = "[" + value + "]";
      text = "{$let: {vars: {v: " + value + "}, in: " + text + "}}";
    }
    return text;
  };
  EXPECT_EQ(evaluate(stairs(3), 1).code, Code::OK);
  EXPECT_EQ(evaluate(stairs(12), 1).code, Code::Overflow);
}

TEST(ExpressionLimits, LoopsGiveBackWhatTheirRoundsLeave) {
  constexpr std::size_t kMegabyte = 1 << 20;
  // Each round makes a tenth of a megabyte; of all of them nothing but a number stays.
  EXPECT_LT(evaluate("{$map: {input: {$range: [0, 400]}, in: {$size: {$range: [0, '$n']}}}}", 5000).reserved, 8 * kMegabyte);
  EXPECT_LT(evaluate("{$size: {$filter: {input: {$range: [0, 400]}, cond: {$size: {$range: [0, '$n']}}}}}", 5000).reserved, 8 * kMegabyte);
  const std::string joined = "{$reduce: {input: {$range: [0, '$n']}, initialValue: '', in: {$concat: ['$$value', 'xxxxxxxxxx']}}}";
  const Evaluated grown = evaluate(joined, 20000);  // A gigabyte and a half without.
  EXPECT_EQ(grown.code, Code::OK);
  EXPECT_LT(grown.reserved, 16 * kMegabyte);
}

TEST(ExpressionLimits, DrawsAreInRangeAndDiffer) {
  const bson::Document source = bson::parse_json("{v: {$rand: {}}}").value();
  ExpressionContext context;
  context.random_seed = 7;
  const auto one = CompiledExpression::compile(source["v"], context);
  const auto same = CompiledExpression::compile(source["v"], context);
  ASSERT_TRUE(one.ok() && same.ok());
  Arena arena;
  double before = -1;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double drawn = one->evaluate(bson::View(), arena)->as_double();
    EXPECT_EQ(drawn, same->evaluate(bson::View(), arena)->as_double());
    EXPECT_NE(drawn, before);
    EXPECT_TRUE(drawn >= 0 && drawn < 1);
    sum += before = drawn;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

}  // namespace
}  // namespace partita::query
