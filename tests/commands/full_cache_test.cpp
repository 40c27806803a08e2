// SPDX-License-Identifier: GPL-3.0-or-later
//
// A cache much too small for what is written: workers wait for room, cores do not, and nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kCache = 10 << 20;
constexpr int kClients = 6;
constexpr int kDocuments = 400;  ///< Of each client.
constexpr int kBytes = 20'000;

/// Answers one command, and tells how long it kept the core, where others' pings queue behind it.
Clock::duration time_on_core(ClientConnection& connection, bson::View body) {
  wire::Request request;
  request.body = body;
  bson::Buffer out;
  const auto begun = Clock::now();
  wire::Next next = connection.serve(request, out, false);
  const auto took = Clock::now() - begun;
  if (next == wire::Next::kWorker) next = connection.serve(request, out, true);
  EXPECT_EQ(next, wire::Next::kReply);
  const bson::View reply = bson::View::trusted(out.data());
  EXPECT_EQ(reply["ok"].to_double(), 1.0) << test::readable(reply);
  EXPECT_TRUE(reply["writeErrors"].missing()) << test::readable(reply);
  return took;
}

/// Inserts a document, changes it and reads it, again and again.
std::vector<Clock::duration> work(Server& server, int client) {
  ClientConnection connection(server, test::make_peer());
  std::vector<Clock::duration> times;
  const std::string text(kBytes, 'x');
  for (int i = 0; i < kDocuments; ++i) {
    const std::int32_t id = client * kDocuments + i;
    const auto command = [&](auto&& fields) {
      const bson::Document body = bson::Document::build([&](bson::Writer& writer) {
        fields(writer);
        writer.add("$db", "test");
      });
      times.push_back(time_on_core(connection, body));
    };
    command([&](bson::Writer& body) {
      body.add("insert", "c");
      bson::ArrayWriter documents = body.array("documents");
      bson::Writer document = documents.document();
      document.add("_id", id);
      document.add("text", text);
    });
    command([&](bson::Writer& body) {
      body.add("update", "c");
      bson::ArrayWriter updates = body.array("updates");
      bson::Writer update = updates.document();
      update.document("q").add("_id", id);
      bson::Writer change = update.document("u");
      change.document("$set").add("text", text + std::to_string(i));
    });
    command([&](bson::Writer& body) {
      body.add("find", "c");
      body.document("filter").add("_id", id / 2);
    });
  }
  return times;
}

TEST(FullCache, KeepsNoCoreWaitingAndLosesNothing) {
  test::InProcess server(kCache);
  EXPECT_EQ(server.run("{create: 'c'}"), "{ok: 1.0}");
  std::vector<std::vector<Clock::duration>> times(kClients);
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i) clients.emplace_back([&, i] { times[i] = work(server.server(), i); });
  }
  std::vector<Clock::duration> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  const auto ms = [](Clock::duration time) { return std::chrono::duration_cast<milliseconds>(time).count(); };
  const auto p99 = all[all.size() * 99 / 100];
  std::printf("on the core: p50 %lld ms, p99 %lld ms, longest %lld ms\n", static_cast<long long>(ms(all[all.size() / 2])),
              static_cast<long long>(ms(p99)), static_cast<long long>(ms(all.back())));
  EXPECT_LT(p99, milliseconds(50));

  EXPECT_EQ(server.run("{count: 'c', query: {_id: {$gte: 0}}}"), "{n: " + std::to_string(kClients * kDocuments) + ", ok: 1.0}");
  EXPECT_EQ(server.reply("{validate: 'c'}")["valid"].as_bool(), true);
  const bson::Document status = server.reply("{serverStatus: 1}");
  const std::int64_t timed_out =
      status.view()["wiredTiger"].as_document()["cache"].as_document()["operations timed out waiting for space in cache"].exact_int64().value_or(-1);
  EXPECT_GT(timed_out, 0) << "the cache was never full, so nothing was tested";
}

/// Together they write, before any of them commits, several times what the cache holds.
TEST(FullCache, ManyLargeBatchesAtOnceAllGetThrough) {
  constexpr int kWriters = 40;
  constexpr int kBatches = 3;
  constexpr int kInBatch = 40;
  test::InProcess server(kCache);
  EXPECT_EQ(server.run("{create: 'c'}"), "{ok: 1.0}");
  const std::string text(10'000, 'x');
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        ClientConnection connection(server.server(), test::make_peer());
        for (int b = 0; b < kBatches; ++b) {
          const bson::Document batch = bson::Document::build([&](bson::Writer& body) {
            body.add("insert", "c");
            bson::ArrayWriter documents = body.array("documents");
            for (int i = 0; i < kInBatch; ++i) {
              bson::Writer document = documents.document();
              document.add("_id", (w * kBatches + b) * kInBatch + i);
              document.add("text", text);
            }
            documents.close();
            body.add("$db", "test");
          });
          time_on_core(connection, batch);
        }
      });
    }
  }
  EXPECT_EQ(server.run("{count: 'c', query: {_id: {$gte: 0}}}"),
            "{n: " + std::to_string(kWriters * kBatches * kInBatch) + ", ok: 1.0}");
}

}  // namespace
}  // namespace partita::commands
