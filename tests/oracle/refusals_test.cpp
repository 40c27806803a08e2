// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/refusals.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace partita::test
