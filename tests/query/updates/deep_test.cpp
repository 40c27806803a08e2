// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/updates/storage_rules.h"
#include "query/updates/update.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

/// {OPERATOR: {"a.a.a": 1}}, of that many parts.
bson::Document to_depth(std::string_view name, int parts) {
  std::string path = "a";
  for (int i = 1; i < parts; ++i) path += ".a";
  return bson::Document::build([&](bson::Writer& out) { out.document(name).add(path, 1); });
}

// What an update does only to documents that it makes says nothing about those that are there.
TEST(DeepUpdates, SetOnInsertLeavesWhatIsThereAlone) {
  const bson::Document document = bson::parse_json("{_id: 1}").value();
  const auto code = [&](int parts, bool inserting) {
    const bson::Document source = to_depth("$setOnInsert", parts);
    const Result<Update> update = Update::parse(bson::Value::of(source.view()));
    if (!update.ok()) return update.status().code();
    bson::Buffer after;
    const auto outcome = inserting ? update->apply_on_insert(document, after) : update->apply(document, after);
    EXPECT_TRUE(!outcome.ok() || outcome->modified == inserting);
    return outcome.status().code();
  };
  EXPECT_EQ(code(kMostLevels, false), Code::OK);
  EXPECT_EQ(code(kMostLevels, true), Code::OK);
  EXPECT_EQ(code(kMostLevels + 1, false), Code::OK);
  EXPECT_EQ(code(kMostLevels + 1, true), Code::Overflow);
  EXPECT_EQ(code(kMostLevels + 100, true), Code::Overflow);
}

TEST(DeepUpdates, OthersAreRefusedAtOnce) {
  EXPECT_TRUE(Update::parse(bson::Value::of(to_depth("$set", kMostLevels).view())).ok());
  EXPECT_EQ(Update::parse(bson::Value::of(to_depth("$set", kMostLevels + 1).view())).status().code(), Code::Overflow);
}

// MongoDB counts the fields on the way: what is empty may lie in the deepest level that may have any.
TEST(DeepUpdates, TheDeepestLevelMayHoldWhatIsEmpty) {
  for (const std::string_view leaf : {"1", "{}", "[]"}) {
    for (const int levels : {kMostLevels, kMostLevels + 1}) {
      std::string nested(leaf);
      for (int level = 1; level < levels; ++level) nested = level % 2 == 0 ? "{\"a\": " + nested + "}" : "[" + nested + "]";
      const std::string whole = "{\"a\": " + nested + "}";
      const Code expected = levels > kMostLevels ? Code::Overflow : Code::OK;
      EXPECT_EQ(check_storable(bson::parse_json(whole).value()).code(), expected) << leaf << levels;
      const bson::Document before = bson::parse_json("{_id: 1}").value();
      for (const std::string& update : {whole, "{$set: " + whole + "}", "{$min: " + whole + "}", "{$setOnInsert: " + whole + "}"}) {
        const bson::Document source = bson::parse_json(update).value();
        const Result<Update> parsed = Update::parse(bson::Value::of(source.view()));
        bson::Buffer after;
        EXPECT_EQ(parsed.ok() ? parsed->apply_on_insert(before, after).status().code() : parsed.status().code(), expected) << update.substr(0, 20) << levels;
      }
    }
  }
}

}  // namespace
}  // namespace partita::query
