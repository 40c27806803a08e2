// SPDX-License-Identifier: GPL-3.0-or-later
// A collection is divided by another key, and its old tables go, between a query's plan and its first look at the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/overtaken.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Read {
  const char* command;
  const char* answer;  ///< A part of it.
};

class OvertakenRead : public testing::TestWithParam<Read> {
 protected:
  void SetUp() override {
    send("{shardCollection: 'test.c', key: {k: 'hashed'}, numInitialChunks: 4}");
    send("{insert: 'c', documents: [{_id: 1, k: 1, w: 1}, {_id: 2, k: 2, w: 1}, {_id: 3, k: 3, w: 1}, {_id: 4, k: 4, w: 2}]}");
    send("{createIndexes: 'c', indexes: [{key: {w: 1}, name: 'w_1'}]}");
  }
  void send(const std::string& command) { ASSERT_THAT(server_.run(command), HasSubstr("ok: 1.0")) << command; }

  InProcess server_;
};

TEST_P(OvertakenRead, IsAnsweredByTheNewTables) {
  const std::string answer = answer_overtaken(server_, GetParam().command, 1500ms, [&] {
    send("{reshardCollection: 'test.c', key: {w: 1}, numInitialChunks: 1}");
  });
  EXPECT_THAT(answer, HasSubstr(GetParam().answer));
  EXPECT_THAT(answer, HasSubstr("ok: 1.0"));
}

INSTANTIATE_TEST_SUITE_P(Commands, OvertakenRead,
                         testing::Values(Read{"{find: 'c', filter: {w: 1}, sort: {k: 1}, projection: {_id: 1}}", "[{_id: 1}, {_id: 2}, {_id: 3}]"},
                                         Read{"{count: 'c', query: {w: 1}}", "n: 3"},
                                         Read{"{distinct: 'c', key: 'k', query: {w: 1}}", "values: [1, 2, 3]"},
                                         Read{"{aggregate: 'c', pipeline: [{$match: {w: 1}}, {$count: 'n'}], cursor: {}}", "{n: 3}"}));

}  // namespace
}  // namespace partita::test
