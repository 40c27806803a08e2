// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/refusals.h"

#include <gtest/gtest.h>

#include "commands/command.h"
#include "tests/oracle/oracle.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

/// Does mongod refuse these commands with the codes that we expect of ourselves?
TEST(Refusals, AreThoseOfMongod) {
  Oracle* oracle = Oracle::get();
  if (oracle == nullptr) GTEST_SKIP() << Oracle::why_not();
  std::vector<bson::Document> documents;
  documents.push_back(bson::parse_json("{_id: 1, a: 1}").value());
  oracle->fill("c", documents);
  oracle->run(bson::parse_json("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}").value());
  for (const Refusal& refusal : read_refusals()) {
    const bson::Document reply = oracle->run(bson::parse_json(refusal.command).value());
    EXPECT_EQ(reply["code"].exact_int64(), refusal.code) << refusal.command << "\n" << bson::to_json(reply);
  }
}

/// What a mongod lists is either here or refused with a reason.
TEST(Refusals, ThereIsNoCommandThatWeNeverHeardOf) {
  Oracle* oracle = Oracle::get();
  if (oracle == nullptr) GTEST_SKIP() << Oracle::why_not();
  const bson::Document reply = oracle->run(bson::parse_json("{listCommands: 1}").value());
  ASSERT_GT(reply["commands"].as_document().count(), 200u);
  for (const bson::Field& command : reply["commands"].as_document()) {
    const bool known = commands::find_command(command.name) != nullptr || !commands::unsupported_reason(command.name).empty();
    EXPECT_TRUE(known) << command.name;
  }
}

}  // namespace
}  // namespace partita::test
