// SPDX-License-Identifier: GPL-3.0-or-later
// Queries over several partitions that nobody waits for any more: killed, out of time, their client gone or their cursor
// killed, while legs stand still that would go on for minutes. Whatever the query and the degree, all of it ends at once, and
// nothing is left of it: no helper at work, no session of the engine leased, no cursor kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "commands/current_operations.h"
#include "shards/router/crew.h"
#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kDegrees[] = {"0", "2", "-1"};

/// All ways in which legs are put together. The first three keep a cursor after a first batch.
constexpr std::string_view kQueries[] = {
    "{find: 'c', batchSize: 3",
    "{find: 'c', sort: {n: 1}, batchSize: 3",  // Merged, by an index.
    "{aggregate: 'c', pipeline: [{$match: {m: {$gte: 0}}}], cursor: {batchSize: 3}",
    "{find: 'c', filter: {m: {$gte: 0}}, sort: {m: 1}",
    "{find: 'c', filter: {m: -1}",
    "{find: 'c', filter: {m: -1}, sort: {n: -1}",
    "{aggregate: 'c', pipeline: [{$group: {_id: '$n', s: {$sum: '$m'}}}], cursor: {}",
    "{aggregate: 'c', pipeline: [{$sort: {m: -1}}, {$limit: 5}], cursor: {}",
    "{count: 'c', query: {m: 3}",
    "{distinct: 'c', key: 'm'",
};
constexpr std::size_t kWithCursors = 3;

class InterruptedReads : public testing::Test {
 protected:
  static constexpr std::int32_t kDocuments = 2000;
  static constexpr int kPartitions = 8;

  void SetUp() override {
    send("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: " + std::to_string(kPartitions) + "}");
    send("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}]}");
    const Document insert = Document::build([&](Writer& w) {
      w.add("insert", "c");
      bson::ArrayWriter array = w.array("documents");
      for (std::int32_t id = 0; id < kDocuments; ++id) {
        Writer one = array.document();
        one.add("_id", id);
        one.add("n", id % 10);
        one.add("m", id % 7);
      }
    });
    ASSERT_EQ(server_.client().reply(insert.view(), {})["n"].exact_int64(), kDocuments);
    idle_sessions_ = sessions();
  }
  void TearDown() override { hold("off"); }

  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  /// Legs that come to a partition stay there: all of them, or one.
  void hold(std::string_view which) {
    shards::FailPoint::Setting setting;
    if (which != "off") {
      const std::string partition = which == "one" ? ", partition: " + last_partition() : "";
      setting = {.mode = shards::FailPoint::Mode::kAlways, .data = bson::parse_json("{blockTimeMS: 120000" + partition + "}").value()};
    }
    shards::FailPoint::find("readPartition")->set(std::move(setting));
  }
  static std::int64_t held() { return shards::FailPoint::find("readPartition")->fired(); }
  std::string last_partition() {
    const auto* collection = server_.server().store.catalog().snapshot().find("test.c");
    return std::to_string(static_cast<std::int64_t>(collection->partitions.back().partition->id()));
  }
  std::size_t sessions() { return server_.server().store.engine().sessions_in_use(); }
  std::size_t cursors() { return server_.server().cursors.open_count(); }

  /// Runs a command in a thread of its own, ends it by `stop` as soon as a leg is held, and takes the time from there to
  /// its answer.
  void expect_end(const std::string& command, std::string_view code, const std::function<void(Client&)>& stop) {
    SCOPED_TRACE(command);
    Client client(server_.server());
    const std::int64_t before = held();
    Document reply;
    std::atomic<Clock::rep> ended{0};
    std::thread reader([&] {
      reply = client.reply(command);
      EXPECT_EQ(shards::Crew::helping(), 0) << "nobody works on what is answered";
      ended = Clock::now().time_since_epoch().count();
    });
    const auto patience = Clock::now() + 10s;
    while (held() == before && ended == 0 && Clock::now() < patience) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(2ms);  // Helpers come to their legs.
    const auto begin = Clock::now();
    stop(client);
    reader.join();
    times_.push_back(Clock::duration(ended) - begin.time_since_epoch());
    EXPECT_EQ(reply["codeName"].is_string() ? reply["codeName"].as_string() : "", code) << readable(reply.view());
    EXPECT_EQ(readable(reply.view()).find("partition "), std::string::npos) << "no partition has failed: " << readable(reply.view());
    expect_nothing_left();
  }
  void expect_nothing_left() {
    EXPECT_EQ(cursors(), 0U);
    expect_no_session();
  }
  /// The store's own threads use some now and then.
  void expect_no_session() {
    std::size_t now = sessions();
    for (int i = 0; i < 300 && now > idle_sessions_; ++i) {
      std::this_thread::sleep_for(1ms);
      now = std::min(now, sessions());
    }
    EXPECT_LE(now, idle_sessions_);
  }
  /// Others may have the processors for a while, but not half of the time.
  void expect_prompt() {
    std::ranges::sort(times_);
    const auto millis = [](Clock::duration time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); };
    EXPECT_LT(millis(times_[times_.size() / 2]), 40);
    EXPECT_LT(millis(times_.back()), 1000);
    std::printf("ended after %lld ms, at most %lld\n", static_cast<long long>(millis(times_[times_.size() / 2])),
                static_cast<long long>(millis(times_.back())));
  }
  void for_all(const std::function<void(const std::string& query)>& test) {
    for (const std::string_view query : kQueries) {
      for (const std::string_view degree : kDegrees) test(std::string(query) + ", maxDegreeOfParallelism: " + std::string(degree));
    }
  }
  void kill_operations_of(Client& client) {
    const std::int64_t connection = client.peer().connection_id;
    const Document running = send("{currentOp: 1, connectionId: " + std::to_string(connection) + "}");
    const bson::View all = running["inprog"].as_document();
    ASSERT_EQ(all.count(), 1U) << readable(running.view());
    send("{killOp: 1, op: " + bson::to_json(all.begin()->value.as_document()["opid"]) + "}");
  }

  InProcess server_;
  std::size_t idle_sessions_ = 0;
  std::vector<Clock::duration> times_;
};

TEST_F(InterruptedReads, EndWhenTheyAreKilled) {
  for (const char* which : {"all", "one"}) {
    hold(which);
    for_all([&](const std::string& query) {
      // The first batch of a walk in the order of the map does not need its last partition.
      if (std::string_view(which) == "one" && query.starts_with(kQueries[0])) return;
      if (std::string_view(which) == "one" && query.starts_with(kQueries[2])) return;
      expect_end(query + "}", "Interrupted", [&](Client& client) { kill_operations_of(client); });
    });
  }
  expect_prompt();
}

TEST_F(InterruptedReads, EndWhenTheirClientHasGone) {
  hold("all");
  for_all([&](const std::string& query) {
    expect_end(query + "}", "ClientDisconnect", [](Client& client) { client.peer().gone = true; });
  });
  expect_prompt();
}

TEST_F(InterruptedReads, EndWhenTheServerStops) {
  hold("all");
  for_all([&](const std::string& query) {
    expect_end(query + "}", "InterruptedAtShutdown", [&](Client&) { server_.server().stopping = true; });
    server_.server().stopping = false;
  });
  expect_prompt();
}

TEST_F(InterruptedReads, EndWhenTheirTimeIsUp) {
  hold("all");
  for_all([&](const std::string& query) {
    expect_end(query + ", maxTimeMS: 20}", "MaxTimeMSExpired", [](Client&) {});
  });
  for (Clock::duration& time : times_) time -= 20ms;
  expect_prompt();
}

TEST_F(InterruptedReads, ExplanationsEndToo) {
  hold("all");
  for_all([&](const std::string& query) {
    expect_end("{explain: " + query + "}, verbosity: 'executionStats'}", "Interrupted", [&](Client& client) { kill_operations_of(client); });
  });
  expect_prompt();
}

TEST_F(InterruptedReads, EndInALaterBatchWhenTheirCursorIsKilled) {
  for (std::size_t i = 0; i < kWithCursors; ++i) {
    for (const std::string_view degree : kDegrees) {
      for (const bool kills_cursor : {true, false}) {
        hold("off");
        const Document first = send(std::string(kQueries[i]) + ", maxBufferedItemCount: 20, maxDegreeOfParallelism: " +
                                    std::string(degree) + "}");
        const std::string id = "{$numberLong: '" + std::to_string(first["cursor"].as_document()["id"].as_int64()) + "'}";
        ASSERT_EQ(cursors(), 1U);
        hold("all");
        expect_end("{getMore: " + id + ", collection: 'c'}", kills_cursor ? "CursorKilled" : "ClientDisconnect", [&](Client& client) {
          if (kills_cursor) send("{killCursors: 'c', cursors: [" + id + "]}");
          else client.peer().gone = true;
        });
      }
    }
  }
  expect_prompt();
}

TEST_F(InterruptedReads, LeaveNoCursorToAClientThatGoesBeforeItsAnswer) {
  for (std::size_t i = 0; i < kWithCursors; ++i) {
    Client client(server_.server());
    client.peer().gone = true;
    (void)client.reply(std::string(kQueries[i]) + ", maxDegreeOfParallelism: 2}");
    expect_nothing_left();
  }
}

TEST_F(InterruptedReads, HoldNoSessionOfAPartitionThatIsLeftOut) {
  shards::FailPoint::find("readPartition")->set({.mode = shards::FailPoint::Mode::kAlways,
      .data = bson::parse_json("{errorCode: 96, partition: " + last_partition() + "}").value()});
  for (const char* sort : {"{n: 1}", "{m: 1}"}) {
    const Document reply = send("{find: 'c', sort: " + std::string(sort) +
                                ", batchSize: 10, allowPartialResults: true, maxDegreeOfParallelism: 2}");
    const bson::View cursor = reply["cursor"].as_document();
    EXPECT_TRUE(cursor["partialResultsReturned"].truthy()) << readable(reply.view());
    expect_no_session();
    send("{killCursors: 'c', cursors: [{$numberLong: '" + std::to_string(cursor["id"].as_int64()) + "'}]}");
  }
  expect_nothing_left();
}

TEST_F(InterruptedReads, ShowInServerStatusWhatTheyHold) {
  const auto held_by_queries = [&] {
    const Document status = send("{serverStatus: 1}");
    const bson::View partita = status["partita"].as_document();
    return std::pair(*partita["sessions"].as_document()["inUse"].exact_int64(), *partita["legThreads"].as_document()["helping"].exact_int64());
  };
  hold("all");
  expect_end("{count: 'c', query: {m: 3}, maxDegreeOfParallelism: 4}", "Interrupted", [&](Client& client) {
    const auto patience = Clock::now() + 5s;
    while (shards::Crew::helping() == 0 && Clock::now() < patience) std::this_thread::sleep_for(1ms);
    const auto [sessions, helping] = held_by_queries();
    EXPECT_GE(sessions, 1);
    EXPECT_GE(helping, 1);
    kill_operations_of(client);
  });
  EXPECT_EQ(held_by_queries().second, 0);
}

}  // namespace
}  // namespace partita::test
