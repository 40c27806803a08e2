// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/updates/update.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

// A pattern that cannot be tried on some element: that it stays would look as if it did not match.
TEST(Pull, FailsWhereItsFilterHasNoAnswer) {
  const bson::Document document = bson::parse_json("{_id: 1, a: ['" + std::string(4000, 'x') + "!', {b: '" + std::string(4000, 'x') + "!'}]}").value();
  for (const char* condition : {"{$regex: '^(x+x+)+$'}", "{b: {$regex: '^(x+x+)+$'}}"}) {
    const bson::Document source = bson::parse_json(std::string("{$pull: {a: ") + condition + "}}").value();
    const Result<Update> update = Update::parse(bson::Value::of(source.view()));
    ASSERT_TRUE(update.ok()) << update.status().message();
    bson::Buffer after;
    EXPECT_EQ(update->apply(document, after).status().code(), Code{51156}) << condition;
  }
}

}  // namespace
}  // namespace partita::query
