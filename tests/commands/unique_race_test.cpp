// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many clients who want the same place in an index that takes it once: exactly one of them gets it.
#include <gtest/gtest.h>

#include <thread>

#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

/// How many of so many clients, all at once, get their document in.
int winners(InProcess& server, int clients, const std::string& fields) {
  std::atomic<int> taken{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      Client client(server.server());
      const std::string answer = client.run("{insert: 'c', documents: [{_id: " + std::to_string(i) + ", " + fields + "}]}");
      if (answer.starts_with("{n: 1, ok: 1")) ++taken;
      if (answer.find("code: 11000") != std::string::npos) ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + refused, clients);
  return taken;
}

constexpr int kClients = 32;
constexpr int kRounds = 5;

TEST(UniqueRace, HasOneWinner) {
  InProcess server;
  for (int round = 0; round < kRounds; ++round) {
    server.run("{drop: 'c'}");
    server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', unique: true}]}");
    EXPECT_EQ(winners(server, kClients, "a: 7"), 1);
  }
}

TEST(UniqueRace, HasOneWinnerAmongThoseThatAPartialIndexHolds) {
  InProcess server;
  server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', unique: true, partialFilterExpression: {live: true}}]}");
  EXPECT_EQ(winners(server, kClients, "a: 7, live: true"), 1);
  server.run("{delete: 'c', deletes: [{q: {}, limit: 0}]}");
  EXPECT_EQ(winners(server, kClients, "a: 7, live: false"), kClients);
}

TEST(UniqueRace, HasOneWinnerWhileAnIndexPreparesToBeUnique) {
  InProcess server;
  for (int round = 0; round < kRounds; ++round) {
    server.run("{drop: 'c'}");
    server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', prepareUnique: true}]}");
    EXPECT_EQ(winners(server, kClients, "a: 7"), 1);
    EXPECT_TRUE(server.reply("{validate: 'c'}")["valid"].truthy());
  }
}

/// Duplicates that come beside the change fail it, or are failed by it.
TEST(UniqueRace, ConversionEndsWithoutDuplicates) {
  InProcess server;
  server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', prepareUnique: true}]}");
  std::atomic<bool> done{false};
  std::thread writer([&] {
    Client client(server.server());
    for (int i = 0; !done; ++i) {
      client.run("{insert: 'c', documents: [{_id: " + std::to_string(1000 + i) + ", a: " + std::to_string(i / 2) + "}]}");
    }
  });
  EXPECT_NE(server.run("{collMod: 'c', index: {name: 'a_1', unique: true}}").find("unique_new: true"), std::string::npos);
  done = true;
  writer.join();
  EXPECT_TRUE(server.reply("{validate: 'c'}")["valid"].truthy());
  const bson::Document twice = server.reply("{aggregate: 'c', pipeline: [{$group: {_id: '$a', n: {$sum: 1}}}, {$match: {n: {$gt: 1}}}], cursor: {}}");
  EXPECT_TRUE(twice.view().at_path("cursor.firstBatch").as_document().empty());
}

/// What is defined anew holds after a crash, and what was in the index too.
TEST(AlteredIndexes, SurviveACrash) {
  InProcess server;
  server.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}, {key: {t: 1}, name: 't', expireAfterSeconds: 5}, {key: {'$**': 1}, name: 'w'}]}");
  server.run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}");
  server.run("{collMod: 'c', index: {name: 'a_1', prepareUnique: true}}");
  server.run("{collMod: 'c', index: {name: 'a_1', unique: true}}");
  server.run("{collMod: 'c', index: {name: 't', expireAfterSeconds: 50, hidden: true}}");
  server.run("{insert: 'c', documents: [{_id: 3, a: 3}]}");
  const std::string before = server.run("{listIndexes: 'c'}");
  server.crash();
  EXPECT_EQ(server.run("{listIndexes: 'c'}"), before);
  EXPECT_NE(server.run("{insert: 'c', documents: [{_id: 4, a: 3}]}").find("11000"), std::string::npos);
  EXPECT_TRUE(server.reply("{validate: 'c'}")["valid"].truthy());
  EXPECT_NE(server.run("{find: 'c', filter: {a: 3}, hint: 'a_1'}").find("_id: 3"), std::string::npos);
  EXPECT_NE(server.run("{find: 'c', filter: {a: 2}, hint: 'w'}").find("_id: 2"), std::string::npos);
}

}  // namespace
}  // namespace partita::test
