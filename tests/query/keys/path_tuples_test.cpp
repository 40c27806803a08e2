// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/path_tuples.h"

#include <gtest/gtest.h>

#include "wire/bson/json.h"

namespace partita::test {
namespace {

using query::keys::PathTuples;

/// All tuples in one line: "[1 x] [2 x]", or the error.
std::string tuples(std::vector<std::string_view> paths, std::string_view json) {
  const bson::Document document = bson::parse_json(json).value();
  PathTuples tuples;
  tuples.reset(paths, document);
  std::string text;
  while (true) {
    const Result<bool> more = tuples.next();
    if (!more.ok()) return more.status().message();
    if (!*more) return text;
    if (!text.empty()) text += ' ';
    text += '[';
    for (std::size_t i = 0; i < tuples.values().size(); ++i) {
      const bson::Value value = tuples.values()[i];
      if (i > 0) text += ' ';
      text += value.missing() ? "missing" : bson::to_shell(value);
    }
    text += ']';
  }
}

TEST(PathTuples, OfPlainPaths) {
  EXPECT_EQ(tuples({"a", "b.c"}, "{a: 1, b: {c: 2}}"), "[1 2]");
  EXPECT_EQ(tuples({"a", "b.c"}, "{b: 3}"), "[missing missing]");
  EXPECT_EQ(tuples({"a.b"}, "{a: null}"), "[missing]");
}

TEST(PathTuples, ExpandAnArrayOnce) {
  EXPECT_EQ(tuples({"a"}, "{a: [1, [2, 3], 4]}"), "[1] [[ 2, 3 ]] [4]");
  EXPECT_EQ(tuples({"a"}, "{a: []}"), "[undefined]");
  EXPECT_EQ(tuples({"a.b"}, "{a: []}"), "[missing]");
  EXPECT_EQ(tuples({"a", "b"}, "{a: [1, 2], b: 3}"), "[1 3] [2 3]");
}

TEST(PathTuples, GoOnInElements) {
  EXPECT_EQ(tuples({"a.b"}, "{a: [{b: 1}, {b: [2, 3]}, 4, {c: 5}, [{b: 6}]]}"), "[1] [2] [3] [missing] [missing] [missing]");
  EXPECT_EQ(tuples({"a.b", "a.c"}, "{a: [{b: 1, c: 2}, {b: 3, c: 4}]}"), "[1 2] [3 4]");
  EXPECT_EQ(tuples({"a", "a.b"}, "{a: [{b: 1}, 2]}"), "[{ b: 1 } 1] [2 missing]");
}

TEST(PathTuples, PickByPosition) {
  EXPECT_EQ(tuples({"a.1"}, "{a: [5, 6]}"), "[6]");
  EXPECT_EQ(tuples({"a.0"}, "{a: [[3, 1], 2]}"), "[[ 3, 1 ]] [[ 3, 1 ]]");
  EXPECT_EQ(tuples({"a.0"}, "{a: [[]]}"), "[undefined]");
  EXPECT_EQ(tuples({"a.0.b"}, "{a: [{b: 7}, {b: 8}]}"), "[7]");
  EXPECT_EQ(tuples({"a.0.b"}, "{a: [[{b: 1}, {b: 2}]]}"), "[1] [2]");
  EXPECT_EQ(tuples({"a.5"}, "{a: [1]}"), "[missing]");
  EXPECT_EQ(tuples({"a.0"}, "{a: {\"0\": 1}}"), "[1]");
}

TEST(PathTuples, RefuseTwoArrays) {
  EXPECT_EQ(tuples({"a", "b"}, "{a: [1], b: [2]}"), "cannot index parallel arrays [b] [a]");
  EXPECT_EQ(tuples({"x.a", "x.b"}, "{x: [{a: [1], b: [2]}]}"), "cannot index parallel arrays [b] [a]");
}

TEST(PathTuples, RefuseWhatIsAPositionAndAName) {
  EXPECT_EQ(tuples({"a.0"}, "{a: [1, {\"0\": 2}]}"),
            "Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), "
            "field: '0' for array: { 0: 1, 1: { 0: 2 } }");
}

/// Positions within positions could multiply: a hundred elements five levels deep are ten thousand million ways to the
/// same tuple.
TEST(PathTuples, DoNotMultiplyPositions) {
  std::string json = "[7]";
  std::string path = "a";
  for (int level = 0; level < 5; ++level) {
    std::string wider = "[" + json;
    for (int i = 0; i < 99; ++i) wider += ", 1";
    json = wider + "]";
    path += ".0";
  }
  const std::string text = tuples({path + ".0"}, "{a: " + json + "}");
  EXPECT_LT(text.size(), 1000U);
  EXPECT_TRUE(text.starts_with("[7]")) << text;
}

}  // namespace
}  // namespace partita::test
