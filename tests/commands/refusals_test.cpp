// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;

class Refusals : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(server_.run("{insert: 'c', documents: [{_id: 1, a: 1}]}"), "{n: 1, ok: 1.0}");
    server_.reply("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
  }
  test::InProcess server_;
};

/// tests/oracle asks a mongod the same.
TEST_F(Refusals, NameWhatIsWrongAndChangeNothing) {
  const auto refusals = test::read_refusals();
  ASSERT_GT(refusals.size(), 100u);
  for (const test::Refusal& refusal : refusals) {
    const bson::Document reply = server_.reply(refusal.command);
    EXPECT_EQ(reply["ok"].as_double(), 0.0) << refusal.command;
    EXPECT_EQ(reply["code"].exact_int64(), refusal.code) << refusal.command << "\n" << test::readable(reply.view());
    EXPECT_THAT(reply["errmsg"].as_string(), HasSubstr(refusal.word)) << refusal.command;
  }
  EXPECT_EQ(server_.run("{find: 'c'}"), R"({cursor: {firstBatch: [{_id: 1, a: 1}], id: 0, ns: "test.c"}, ok: 1.0})");
  EXPECT_EQ(server_.run("{listCollections: 1, nameOnly: true}"),
            R"({cursor: {firstBatch: [{name: "c", type: "collection"}], id: 0, ns: "test.$cmd.listCollections"}, ok: 1.0})");
}

}  // namespace
}  // namespace partita::commands
