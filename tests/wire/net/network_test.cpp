// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/network.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/wire/net/client.h"
#include "tests/wire/net/scripted_service.h"

namespace partita::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using wire::Next;

/// Shorter than the server's own, so that the tests are.
constexpr wire::Patience kShort{.before_hurrying = milliseconds(100),
                                .before_cutting = milliseconds(300),
                                .before_leaving = milliseconds(600)};

struct NetworkTest : testing::Test, Server {
  Client client() { return Client(port()); }
};

TEST_F(NetworkTest, KnowsWhoIsThere) {
  std::promise<wire::Peer*> seen;
  service.on("who", [&](const Scene& scene) {
    EXPECT_EQ(scene.peer.local, "127.0.0.1:" + std::to_string(port()));
    EXPECT_EQ(scene.peer.remote.substr(0, 10), "127.0.0.1:");
    return scene.reply(scene.peer.connection_id);
  });
  start();
  EXPECT_EQ(client().ask("who"), 1);
  EXPECT_EQ(client().ask("who"), 2);
}

TEST_F(NetworkTest, DealsConnectionsToItsCoresInTurn) {
  service.on("core", [](const Scene& scene) { return scene.reply(scene.peer.core); });
  start();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(client().ask("core"), i % 2);
}

TEST_F(NetworkTest, ServesThoseWhoCameBeforeItWasReady) {
  Client early = client();
  ASSERT_TRUE(early.connected());
  ASSERT_TRUE(early.send(request("ping", 4)));
  start();
  EXPECT_EQ(early.receive_number(), 4);
}

TEST_F(NetworkTest, StopsAtOnceWhenAllAreIdle) {
  start();
  std::vector<Client> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(client());
    ASSERT_EQ(clients.back().ask("ping", i), i);
  }
  const auto began = steady_clock::now();
  EXPECT_TRUE(network->stop({}));
  EXPECT_LT(steady_clock::now() - began, milliseconds(1000));
  EXPECT_TRUE(clients.front().sees_end());
  EXPECT_EQ(service.conversations(), 0);
}

TEST_F(NetworkTest, FinishesTheRequestInHandBeforeItStops) {
  std::promise<void> began;
  service.on("work", [&](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    began.set_value();
    std::this_thread::sleep_for(milliseconds(50));
    return scene.reply(scene.peer.gone ? 0 : 1);
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("work")));
  began.get_future().wait();
  EXPECT_TRUE(network->stop({}));
  EXPECT_EQ(one.receive_number(), 1);
  EXPECT_TRUE(one.sees_end());
}

TEST_F(NetworkTest, LetsThoseWhoWaitAnswerOnceMoreBeforeItStops) {
  service.on("wait", [](const Scene& scene) { return scene.peer.gone ? scene.reply(77) : Next::kWait; });
  service.on("obstinate", [](const Scene&) { return Next::kWait; });
  start();
  Client one = client();
  Client other = client();
  ASSERT_TRUE(one.send(request("wait")));
  ASSERT_TRUE(other.send(request("obstinate")));
  ASSERT_TRUE(eventually([&] { return service.waiting() == 2; }));
  EXPECT_TRUE(network->stop({}));
  EXPECT_EQ(one.receive_number(), 77);
  EXPECT_TRUE(other.sees_end());
}

TEST_F(NetworkTest, DoesNotHurryAnAnswerThatWaitsForTheDisk) {
  std::atomic<bool> on_disk{false};
  service.on("durable", [&](const Scene& scene) { return scene.call == 1 ? Next::kHold : scene.reply(on_disk ? 1 : 0); });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("durable")));
  ASSERT_TRUE(eventually([&] { return service.waiting() == 1; }));
  std::thread disk([&] {
    std::this_thread::sleep_for(milliseconds(50));
    on_disk = true;
    service.wake();
  });
  EXPECT_TRUE(network->stop({}));
  disk.join();
  EXPECT_EQ(one.receive_number(), 1);
}

TEST_F(NetworkTest, TellsLongWorkToGiveUp) {
  std::promise<void> began;
  service.on("long", [&](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    began.set_value();
    while (!scene.peer.gone) std::this_thread::sleep_for(milliseconds(1));
    return scene.reply(13);
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("long")));
  began.get_future().wait();
  EXPECT_TRUE(network->stop(kShort));
  EXPECT_EQ(one.receive_number(), 13);
}

TEST_F(NetworkTest, CutsOffWhoDoesNotRead) {
  service.on("large", [](const Scene& scene) {
    const std::string text(16 * 1024 * 1024, 'x');
    bson::Writer(scene.out).add("text", text);
    return Next::kReply;
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("large")));
  std::this_thread::sleep_for(milliseconds(100));
  const auto began = steady_clock::now();
  EXPECT_TRUE(network->stop(kShort));
  EXPECT_LT(steady_clock::now() - began, milliseconds(1000));
}

TEST_F(NetworkTest, LeavesAWorkerThatDoesNotListen) {
  std::promise<void> release;
  std::promise<void> began;
  service.on("deaf", [&, released = release.get_future().share()](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    began.set_value();
    released.wait();
    return scene.reply(1);
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("deaf")));
  began.get_future().wait();
  EXPECT_FALSE(network->stop(kShort));
  release.set_value();
  EXPECT_TRUE(network->stop(kShort));
}

TEST_F(NetworkTest, StopsWithinItsTimeUnderLoad) {
  start();
  constexpr int kClients = 16;
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  std::atomic<int> busy{0};
  for (int c = 0; c < kClients; ++c)
    threads.emplace_back([&, c] {
      Client one = client();
      ++busy;
      for (int i = 0;; ++i) {
        const bool on_worker = (c + i) % 3 == 0;
        if (!one.send(request(on_worker ? "slow" : "ping", 2))) return;
        const Bytes reply = one.receive();
        if (reply.empty()) return;
        if (read_reply(reply).body["n"].as_int64() != 2) wrong = true;
      }
    });
  ASSERT_TRUE(eventually([&] { return busy == kClients; }));
  std::this_thread::sleep_for(milliseconds(100));
  const auto began = steady_clock::now();
  EXPECT_TRUE(network->stop({}));
  EXPECT_LT(steady_clock::now() - began, milliseconds(2000));
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace partita::test
