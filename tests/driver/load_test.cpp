// SPDX-License-Identifier: GPL-3.0-or-later
// Many clients at once, and an end in the middle of their work.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/driver/server.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;

constexpr int kClients = 64;

/// Runs `work(client, number)` in a thread for each of the clients.
template <class Work>
void at_once(const Server& server, const std::string& options, Work work) {
  std::vector<std::thread> threads;
  for (int number = 0; number < kClients; ++number)
    threads.emplace_back([&server, &options, &work, number] { work(server.connect(options), number); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Load, SixtyFourClientsDoNotDisturbOneAnother) {
  constexpr int kEach = 20;
  Server& server = Server::shared();
  const client::Client client = server.connect();
  const Emptied collection(client.get(), "load");
  EXPECT_EQ(collection.insert(R"({"_id": "sum", "n": 0})"), std::nullopt);
  std::atomic<int> failures{0};
  at_once(server, "", [&failures](client::Client own, int number) {
    const client::Collection load(mongoc_client_get_collection(own.get(), "driver", "load"));
    for (int i = 0; i < kEach; ++i) {
      const client::Bson document(BCON_NEW("_id", BCON_INT32(number * kEach + i)));
      const client::Bson found(BCON_NEW("count", "load", "query", "{", "_id", BCON_INT32(number * kEach + i), "}"));
      if (!mongoc_collection_insert_one(load.get(), document.get(), nullptr, nullptr, nullptr)) ++failures;
      if (!mongoc_collection_update_one(load.get(), json(R"({"_id": "sum"})").get(), json(R"({"$inc": {"n": 1}})").get(),
                                        nullptr, nullptr, nullptr))
        ++failures;
      client::Reply reply;
      if (client::run(own.get(), "driver", found.get(), reply) || reply.number("n") != 1) ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(count(client.get(), "load"), kClients * kEach + 1);
  EXPECT_EQ(number_of(client.get(), R"({"find": "load", "filter": {"_id": "sum"}})", "cursor.firstBatch.0.n"),
            kClients * kEach);
}

/// Long work shares the processors with short work, and does not stand in its way.
TEST(Load, ShortQueriesDoNotWaitForLongOnes) {
  constexpr int kLongOnes = 40;
  Server& server = Server::shared();
  const client::Client client = server.connect();
  const Emptied collection(client.get(), "fair");
  collection.fill(1, 10);
  must_run(client.get(), R"({"update": "fair", "updates": [{"q": {}, "u": {"$set": {"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}, "multi": true}]})");
  // Ten to the power of nine rows: only maxTimeMS ends that.
  const std::string unwind = R"({"$unwind": "$a"}, {"$addFields": {"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}, )";
  const std::string endless = R"({"aggregate": "fair", "cursor": {}, "maxTimeMS": 3000, "pipeline": [)" + unwind + unwind + unwind +
                              unwind + unwind + unwind + unwind + R"({"$group": {"_id": null, "n": {"$sum": 1}}}]})";
  std::atomic<int> timed_out{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kLongOnes; ++i) {
    threads.emplace_back([&] {
      const client::Client own = server.connect();
      client::Reply reply;
      if (client::run(own.get(), "driver", json(endless).get(), reply) && reply.number("code") == 50) ++timed_out;
    });
  }
  std::this_thread::sleep_for(500ms);
  std::vector<std::chrono::steady_clock::duration> took;
  for (int i = 0; i < 9; ++i) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(number_of(client.get(), R"({"find": "fair", "filter": {"n": {"$exists": false}, "_id": {"$gt": 9}}})",
                        "cursor.firstBatch.0._id"), 10);
    took.push_back(std::chrono::steady_clock::now() - began);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(timed_out, kLongOnes);
  std::ranges::sort(took);
  EXPECT_LT(took[took.size() / 2], 200ms);
}

/// SIGTERM in the middle: the server ends in order and in time, and nothing that it has acknowledged is gone.
TEST(Load, AStopUnderLoadIsGraceful) {
  Server server;
  std::atomic<int> acknowledged{0};
  std::atomic<bool> stopped{false};
  std::thread stopper([&] {
    while (acknowledged < 2000) std::this_thread::sleep_for(1ms);
    const client::Problem problem = server.process().stop(10s);
    EXPECT_FALSE(problem) << *problem;
    stopped = true;
  });
  at_once(server, "serverSelectionTimeoutMS=500&retryWrites=false", [&](client::Client own, int) {
    const client::Collection load(mongoc_client_get_collection(own.get(), "driver", "load"));
    while (!stopped) {
      const client::Bson document(bson_new());
      if (!mongoc_collection_insert_one(load.get(), document.get(), nullptr, nullptr, nullptr)) break;
      ++acknowledged;
    }
  });
  stopper.join();
  EXPECT_FALSE(server.process().launch());
  EXPECT_FALSE(server.process().wait_ready());
  const client::Client client = server.connect();
  const std::int64_t kept = count(client.get(), "load");
  EXPECT_GE(kept, acknowledged);
  EXPECT_LE(kept, acknowledged + kClients) << "each client had one write on its way at most";
}

}  // namespace
}  // namespace partita::test
