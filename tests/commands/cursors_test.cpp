// SPDX-License-Identifier: GPL-3.0-or-later
// How long cursors live, by a clock of the test's own.
#include "commands/cursors.h"

#include <gtest/gtest.h>

#include "commands/settings/parameters.h"
#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using std::chrono::minutes;

SteadyTime g_now;

class Nothing final : public Execution {
 public:
  Status fill(Operation&, bson::ArrayWriter&, const BatchLimits&) override { return {}; }
  bool exhausted() const override { return false; }
  std::size_t memory() const override { return 100; }
  std::string plan_summary() const override { return ""; }
  std::int64_t keys_examined() const override { return 0; }
  std::int64_t documents_examined() const override { return 0; }
};

class CursorLife : public ::testing::Test {
 protected:
  std::int64_t open(bool no_timeout = false, std::optional<shards::Uuid> session = {}) {
    ClientCursor cursor;
    cursor.ns = "test.c";
    cursor.session = session;
    cursor.execution = std::make_unique<Nothing>();
    cursor.no_timeout = no_timeout;
    return cursors_.add(std::move(cursor)).value();
  }
  bool is_open(std::int64_t id, std::optional<shards::Uuid> session = {}) {
    Result<ClientCursor> cursor = cursors_.take(id, "test.c", session);
    if (!cursor.ok()) return false;
    cursors_.put_back(std::move(*cursor));
    return true;
  }
  static void set_timeout(std::int64_t ms) {
    ASSERT_TRUE(parameters::set_at_runtime("cursorTimeoutMillis", bson::Value::of(ms)).ok());
  }
  void TearDown() override { set_timeout(600'000); }

  test::InProcess server_;
  Cursors cursors_{server_.server().store.random(), [] { return g_now; }};
};

TEST_F(CursorLife, EndsAfterTenMinutesWithoutABatch) {
  const std::int64_t id = open();
  g_now += minutes(10);
  EXPECT_EQ(cursors_.expire(), 0u);
  EXPECT_TRUE(is_open(id)) << "and from now on they count anew";
  g_now += minutes(10);
  EXPECT_EQ(cursors_.expire(), 0u);
  g_now += std::chrono::milliseconds(1);
  EXPECT_EQ(cursors_.expire(), 1u);
  EXPECT_FALSE(is_open(id));
  EXPECT_EQ(cursors_.timed_out_count(), 1u);
  EXPECT_EQ(cursors_.memory(), 0u);
}

TEST_F(CursorLife, GoesByTheParameter) {
  set_timeout(1000);
  open();
  g_now += std::chrono::milliseconds(1001);
  EXPECT_EQ(cursors_.expire(), 1u);
}

TEST_F(CursorLife, IsLeftAloneByThoseWhoAskForThatOrUseIt) {
  const std::int64_t forever = open(true);
  const std::int64_t busy = open();
  ClientCursor taken = cursors_.take(busy, "test.c", {}).value();
  g_now += minutes(60);
  EXPECT_EQ(cursors_.expire(), 0u);
  EXPECT_EQ(cursors_.take(busy, "test.c", {}).status().code(), Code::CursorInUse);
  cursors_.put_back(std::move(taken));
  EXPECT_TRUE(is_open(forever));
  EXPECT_TRUE(is_open(busy));
}

TEST_F(CursorLife, EndsWithItsSession) {
  const shards::Uuid one{1};
  const shards::Uuid other{2};
  const std::int64_t of_one = open(true, one);
  const std::int64_t of_other = open(true, other);
  const std::int64_t of_none = open(true);
  cursors_.kill_session(one);
  EXPECT_FALSE(is_open(of_one, one));
  EXPECT_TRUE(is_open(of_other, other));
  cursors_.kill_sessions();
  EXPECT_FALSE(is_open(of_other, other));
  EXPECT_TRUE(is_open(of_none));
}

TEST(CursorsOfSessions, EndWithEndSessions) {
  test::InProcess server;
  server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
  const std::string lsid = "lsid: {id: UUID('01020304-0506-0708-090a-0b0c0d0e0f10')}";
  const std::int64_t id = server.reply("{find: 'c', batchSize: 1, " + lsid + "}").view().at_path("cursor.id").as_int64();
  const std::string more = "{getMore: NumberLong('" + std::to_string(id) + "'), collection: 'c', batchSize: 1, " + lsid + "}";
  EXPECT_EQ(server.reply(more)["ok"].to_double(), 1);
  server.run("{endSessions: [{id: UUID('01020304-0506-0708-090a-0b0c0d0e0f10')}], $db: 'admin'}");
  EXPECT_EQ(server.reply(more)["code"].exact_int64(), 43);
}

TEST(StreamedCursor, EndsWhenItsClientGoesBetweenTwoBatches) {
  test::InProcess server;
  server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}]}");
  const auto begin = [&](test::Client& client) {
    const bson::Document first = client.reply("{find: 'c', batchSize: 1}");
    const std::int64_t id = *first.view().at_path("cursor.id").exact_int64();
    const std::string more = "{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: 'c', batchSize: 1}";
    EXPECT_EQ(client.reply(more, {.exhaust_allowed = true}).view().at_path("cursor.id").exact_int64(), id);
  };
  {
    test::Client client(server.server());
    begin(client);
    EXPECT_EQ(server.server().cursors.open_count(), 1u);
  }
  EXPECT_EQ(server.server().cursors.open_count(), 0u);
  test::Client client(server.server());
  begin(client);
  EXPECT_NE(client.next_reply().view().at_path("cursor.id").exact_int64(), 0);
  EXPECT_EQ(client.next_reply().view().at_path("cursor.nextBatch").as_document().count(), 1u);
  client.next_reply();
  EXPECT_EQ(server.server().cursors.open_count(), 0u);
}

}  // namespace
}  // namespace partita::commands
