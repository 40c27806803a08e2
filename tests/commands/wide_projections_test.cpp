// SPDX-License-Identifier: GPL-3.0-or-later
// A short pipeline can make a document of many gigabytes out of a short one: it is refused before that.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class WideProjections : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string array;
    for (int i = 0; i < 4000; ++i) array += i == 0 ? "{}" : ", {}";
    ASSERT_EQ(server_.run("{insert: 'c', documents: [{_id: 1, s: '" + std::string(100'000, 'x') + "', a: [" + array + "]}]}"),
              "{n: 1, ok: 1.0}");
  }

  InProcess server_;
};

TEST_P(WideProjections, AreRefused) {
  const std::string answer = server_.run(GetParam());
  EXPECT_NE(answer.find("code: 146"), std::string::npos) << answer;
  EXPECT_EQ(server_.run("{count: 'c', query: {'a.b': {$exists: true}}}"), "{n: 0, ok: 1.0}");
}

INSTANTIATE_TEST_SUITE_P(Commands, WideProjections,
                         testing::Values("{find: 'c', projection: {'a.b': '$s'}}",
                                         "{aggregate: 'c', pipeline: [{$set: {'a.b': '$s'}}, {$project: {n: {$size: '$a'}}}], cursor: {}}",
                                         "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {'a.b': '$s'}}, {$unset: 'a'}]}]}"));

}  // namespace
}  // namespace partita::test
