// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sort_spec.h"

#include <gtest/gtest.h>

#include "wire/bson/json.h"

namespace partita::test {
namespace {

/// "a+ b.c-" or the error with its code. All expectations were put before mongod 6.0.5.
std::string parsed(std::string_view json) {
  const Result<query::SortSpec> spec = query::SortSpec::parse(bson::parse_json(json).value());
  if (!spec.ok()) {
    const Status status = spec.status();
    return std::to_string(static_cast<int>(status.code())) + " " + status.message();
  }
  std::string text;
  for (const query::SortField& field : spec->fields()) {
    if (!text.empty()) text += ' ';
    text += field.path + (field.direction == query::keys::Direction::kAscending ? "+" : "-");
  }
  return text;
}

std::string many_fields(int count) {
  std::string json = "{";
  for (int i = 0; i < count; ++i) json += "f" + std::to_string(i) + ": 1, ";
  return json + "}";
}

std::string long_path(int parts) {
  std::string json = "{\"a";
  for (int i = 1; i < parts; ++i) json += ".a";
  return json + "\": 1}";
}

TEST(SortSpec, TakesDirections) {
  EXPECT_EQ(parsed("{a: 1, \"b.c\": -1}"), "a+ b.c-");
  EXPECT_EQ(parsed("{a: 1.5}"), "a+");
  EXPECT_EQ(parsed("{a: NumberDecimal(\"-1.0\"), b: NumberLong(1)}"), "a- b+");
  EXPECT_EQ(parsed("{}"), "");
}

TEST(SortSpec, RefusesOtherDirections) {
  const std::string direction = "15975 $sort key ordering must be 1 (for ascending) or -1 (for descending)";
  for (const char* json : {"{a: 0}", "{a: 2}", "{a: -2}", "{a: 0.5}", "{a: -0.5}", "{a: NaN}", "{a: NumberLong(\"1099511627776\")}"})
    EXPECT_EQ(parsed(json), direction) << json;
  EXPECT_EQ(parsed("{a: \"x\"}"), "15974 Illegal key in $sort specification: a: \"x\"");
  EXPECT_EQ(parsed("{a: true}"), "15974 Illegal key in $sort specification: a: true");
  EXPECT_EQ(parsed("{a: null}"), "15974 Illegal key in $sort specification: a: null");
  EXPECT_EQ(parsed("{a: [1]}"), "15974 Illegal key in $sort specification: a: [ 1 ]");
}

TEST(SortSpec, RefusesMetadata) {
  EXPECT_EQ(parsed("{a: {}}"), "17312 $meta is the only expression supported by $sort right now");
  EXPECT_EQ(parsed("{a: {b: 1}}"), "17312 $meta is the only expression supported by $sort right now");
  EXPECT_EQ(parsed("{a: {$meta: \"textScore\"}}"), "40218 query requires text score metadata, but it is not available");
  EXPECT_EQ(parsed("{a: {$meta: \"searchScore\"}}"), "31218 $meta sort by 'searchScore' metadata is not supported");
  EXPECT_EQ(parsed("{a: {$meta: \"x\"}}"), "31138 Illegal $meta sort: $meta: \"x\"");
  EXPECT_EQ(parsed("{a: {$meta: \"textScore\", b: 1}}"), "9 Cannot have additional keys in a $meta sort specification");
}

TEST(SortSpec, RefusesBadPaths) {
  EXPECT_EQ(parsed("{\"\": 1}"), "40352 FieldPath cannot be constructed with empty string");
  EXPECT_EQ(parsed("{\"a.\": 1}"), "40353 FieldPath must not end with a '.'.");
  EXPECT_EQ(parsed("{\"a..b\": 1}"), "15998 FieldPath field names may not be empty strings.");
  EXPECT_EQ(parsed("{\".a\": 1}"), "15998 FieldPath field names may not be empty strings.");
  EXPECT_EQ(parsed("{\"a.$b\": 1}"),
            "16410 FieldPath field names may not start with '$'. Consider using $getField or $setField.");
  EXPECT_EQ(parsed(long_path(200)).substr(0, 3), "a.a");
  EXPECT_EQ(parsed(long_path(201)), "15 FieldPath is too long");
}

TEST(SortSpec, TakesThirtyTwoFields) {
  EXPECT_EQ(parsed(many_fields(32)).substr(0, 3), "f0+");
  EXPECT_EQ(parsed(many_fields(33)), "13103 too many compound keys");
}

}  // namespace
}  // namespace partita::test
