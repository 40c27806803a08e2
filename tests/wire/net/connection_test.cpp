// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/support/random.h"
#include "tests/wire/net/client.h"
#include "tests/wire/net/scripted_service.h"

namespace partita::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using wire::Next;

struct ConnectionTest : testing::Test, Server {
  ConnectionTest() = default;
  Client client() { return Client(port()); }
};

TEST_F(ConnectionTest, AnswersOneRequestAfterTheOther) {
  start();
  Client one = client();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.ask("ping", i), i);
}

TEST_F(ConnectionTest, AnswersPipelinedRequestsInOrder) {
  start();
  Client one = client();
  constexpr int kMany = 5000;
  Bytes all;
  for (int i = 0; i < kMany; ++i) put(all, request("ping", i, 0, i + 1));
  std::thread sender([&] { EXPECT_TRUE(one.send(all)); });
  for (int i = 0; i < kMany; ++i) {
    const Bytes reply = one.receive();
    ASSERT_FALSE(reply.empty());
    ASSERT_EQ(read_reply(reply).header.response_to, i + 1);
    ASSERT_EQ(read_reply(reply).body["n"].as_int64(), i);
  }
  sender.join();
}

TEST_F(ConnectionTest, PutsTogetherWhatTheNetworkTookApart) {
  start();
  Client one = client();
  Random random(42);
  Bytes all;
  for (int i = 0; i < 20; ++i) put(all, request("ping", i));
  std::span<const std::uint8_t> rest(all);
  while (!rest.empty()) {
    const auto piece = rest.first(std::min<std::size_t>(rest.size(), static_cast<std::size_t>(random.between(1, 40))));
    ASSERT_TRUE(one.send(piece));
    rest = rest.subspan(piece.size());
    if (random.one_in(3)) std::this_thread::sleep_for(milliseconds(1));
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.receive_number(), i);
}

TEST_F(ConnectionTest, KeepsTheOrderWhenAWorkerIsInBetween) {
  std::vector<std::string> threads;  // One request at a time is served, so this needs no lock.
  service.on("where", [&](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    threads.emplace_back(name.data());
    return scene.reply(scene.number());
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(bytes(request("ping", 1), request("slow", 30), request("ping", 3), request("where", 4))));
  for (const int expected : {1, 30, 3, 4}) EXPECT_EQ(one.receive_number(), expected);
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].substr(0, 6), "worker");
}

TEST_F(ConnectionTest, SendsEarlierRepliesBeforeAWorkerBegins) {
  std::promise<void> release;
  service.on("hold", [&, released = release.get_future().share()](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    released.wait();
    return scene.reply(2);
  });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(bytes(request("ping", 1), request("hold"))));
  EXPECT_EQ(one.receive_number(), 1);
  release.set_value();
  EXPECT_EQ(one.receive_number(), 2);
}

TEST_F(ConnectionTest, ServesOthersWhileWorkersAreBusy) {
  start();
  Client busy = client();
  ASSERT_TRUE(busy.send(request("slow", 300)));
  Client other = client();
  const auto began = steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.ask("ping", i), i);
  EXPECT_LT(steady_clock::now() - began, milliseconds(250));
  EXPECT_EQ(busy.receive_number(), 300);
}

TEST_F(ConnectionTest, SendsNothingWhenTheClientWantsNothing) {
  start();
  Client one = client();
  ASSERT_TRUE(one.send(bytes(request("ping", 1, wire::kMoreToCome), request("ping", 2))));
  EXPECT_EQ(one.receive_number(), 2);
}

TEST_F(ConnectionTest, ClosesWhenTheServiceSaysSo) {
  service.on("quit", [](const Scene&) { return Next::kClose; });
  start();
  Client one = client();
  ASSERT_TRUE(one.send(bytes(request("ping", 5), request("quit"))));
  EXPECT_EQ(one.receive_number(), 5);
  EXPECT_TRUE(one.sees_end());
  EXPECT_TRUE(eventually([&] { return network->counts().current == 0; }));
  EXPECT_EQ(service.conversations(), 0);
}

TEST_F(ConnectionTest, LosesOnlyTheConnectionWhoseRequestHasNoMemory) {
  service.on("explode", [](const Scene& scene) -> Next {
    if (!scene.on_worker && scene.number() == 1) return Next::kWorker;
    throw std::bad_alloc();
  });
  start();
  Client other = client();
  for (const int where : {0, 1}) {
    Client one = client();
    ASSERT_TRUE(one.send(request("explode", where)));
    EXPECT_TRUE(one.sees_end());
  }
  EXPECT_EQ(other.ask("ping", 3), 3);
}

TEST_F(ConnectionTest, DropsWhoBreaksTheFraming) {
  start();
  Client one = client();
  ASSERT_TRUE(one.send(bytes(std::int32_t{15}, std::int32_t{1}, std::int32_t{0}, std::int32_t{2013})));
  EXPECT_TRUE(one.sees_end());
}

TEST_F(ConnectionTest, AnswersARefusalAndGoesOn) {
  start();
  Client one = client();
  Bytes twice = op_msg(0, body_section(command("ping")), body_section(command("ping")));
  ASSERT_TRUE(one.send(twice));
  const Bytes refusal = one.receive();
  if (!refusal.empty()) {
    EXPECT_EQ(read_reply(refusal).body["ok"].as_double(), 0.0);
    EXPECT_EQ(one.ask("ping", 9), 9);
  }
}

TEST_F(ConnectionTest, TellsTheWorkerThatItsClientHasGone) {
  std::promise<void> began;
  std::atomic<bool> noticed{false};
  service.on("long", [&](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    began.set_value();
    noticed = eventually([&] { return scene.peer.gone.load(); });
    return scene.reply(1);
  });
  start();
  {
    Client one = client();
    ASSERT_TRUE(one.send(request("long")));
    began.get_future().wait();
    EXPECT_FALSE(noticed);
  }
  EXPECT_TRUE(eventually([&] { return noticed.load(); }));
  EXPECT_TRUE(eventually([&] { return network->counts().current == 0; }));
}

TEST_F(ConnectionTest, NoticesTheGoingBehindAPipelinedRequest) {
  std::promise<void> began;
  std::atomic<bool> noticed{false};
  service.on("long", [&](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    began.set_value();
    noticed = eventually([&] { return scene.peer.gone.load(); });
    return scene.reply(1);
  });
  start();
  {
    Client one = client();
    ASSERT_TRUE(one.send(request("long")));
    began.get_future().wait();
    ASSERT_TRUE(one.send(request("ping", 2)));
    std::this_thread::sleep_for(milliseconds(50));  // The bytes arrive, and are left where they are.
    EXPECT_FALSE(noticed);
  }
  EXPECT_TRUE(eventually([&] { return noticed.load(); }));
}

TEST_F(ConnectionTest, KeepsRequestsWholeLongAfterAPipelinedOne) {
  start();
  Client one = client();
  ASSERT_TRUE(one.send(request("slow", 100)));
  std::this_thread::sleep_for(milliseconds(30));  // A worker has it: what comes now is looked at again half a second later.
  ASSERT_TRUE(one.send(request("ping", 2)));
  EXPECT_EQ(one.receive_number(), 100);
  EXPECT_EQ(one.receive_number(), 2);
  std::this_thread::sleep_for(milliseconds(700));
  constexpr int kMany = 200;  // More than an idle connection has room for.
  for (int round = 0; round < 3; ++round) {
    Bytes all;
    for (int i = 0; i < kMany; ++i) put(all, request("ping", i));
    ASSERT_TRUE(one.send(all));
    for (int i = 0; i < kMany; ++i) ASSERT_EQ(one.receive_number(), i);
  }
}

TEST_F(ConnectionTest, WaitsUntilItIsWokenFromAnotherThread) {
  service.on("wait", [](const Scene& scene) { return scene.call == 1 ? Next::kWait : scene.reply(scene.call); });
  start();
  Client one = client();
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(one.send(request("wait")));
    service.wake();
    EXPECT_EQ(one.receive_number(), 2);
  }
}

TEST_F(ConnectionTest, MayBeWokenBeforeItWaits) {
  struct Eager : wire::Conversation {
    int calls = 0;
    Next serve(const wire::Request&, bson::Buffer& out, bool) override {
      if (++calls % 2 == 1) return Next::kWait;
      bson::Writer(out).add("n", calls);
      return Next::kReply;
    }
    void on_wait(std::function<void()> wake) override { wake(); }
  };
  struct EagerService : wire::Service {
    std::unique_ptr<wire::Conversation> open(std::shared_ptr<wire::Peer>) override { return std::make_unique<Eager>(); }
  } eager;
  network->serve(eager);
  Client one = client();
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(one.ask("any"), 2 * i);
  one.close();
  EXPECT_TRUE(network->stop({}));
}

TEST_F(ConnectionTest, EndsTheWaitOfAClientWhoHasGone) {
  std::atomic<int> calls{0};
  service.on("wait", [&](const Scene&) {
    ++calls;
    return Next::kWait;
  });
  start();
  {
    Client one = client();
    ASSERT_TRUE(one.send(request("wait")));
    ASSERT_TRUE(eventually([&] { return calls == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return service.conversations() == 0; }));
  service.wake();  // Nobody is there: nothing happens.
  EXPECT_EQ(client().ask("ping", 4), 4);
  EXPECT_EQ(calls, 1);
}

TEST_F(ConnectionTest, StreamsRepliesToOneRequest) {
  service.on("stream", [](const Scene& scene) {
    return scene.reply(scene.call, scene.call < scene.number() ? Next::kReplyAndAgain : Next::kReply);
  });
  start();
  Client one = client();
  constexpr int kReplies = 200;
  ASSERT_TRUE(one.send(request("stream", kReplies, wire::kExhaustAllowed)));
  for (int i = 1; i <= kReplies; ++i) {
    const Bytes reply = one.receive();
    ASSERT_FALSE(reply.empty());
    EXPECT_EQ(read_reply(reply).body["n"].as_int64(), i);
    EXPECT_EQ((read_reply(reply).flags & wire::kMoreToCome) != 0, i < kReplies);
  }
  EXPECT_EQ(one.ask("ping", 8), 8);
}

TEST_F(ConnectionTest, EndsAStreamWhoseClientHasGone) {
  service.on("stream", [](const Scene& scene) { return scene.reply(scene.call, Next::kReplyAndAgain); });
  start();
  {
    Client one = client();
    ASSERT_TRUE(one.send(request("stream", 1, wire::kExhaustAllowed)));
    EXPECT_EQ(one.receive_number(), 1);
  }
  EXPECT_TRUE(eventually([&] { return service.conversations() == 0; }));
}

struct NarrowTest : testing::Test, Server {
  NarrowTest() : Server({.workers = 1, .max_waiting_jobs = 1}) {}
};

TEST_F(NarrowTest, AnswersThatItIsOverloadedWhenTheWorkersAre) {
  std::promise<void> release;
  std::atomic<int> running{0};
  service.on("hold", [&, released = release.get_future().share()](const Scene& scene) {
    if (!scene.on_worker) return Next::kWorker;
    ++running;
    released.wait();
    return scene.reply(1);
  });
  start();
  Client first(port());
  Client second(port());
  Client third(port());
  ASSERT_TRUE(first.send(request("hold")));
  ASSERT_TRUE(eventually([&] { return running == 1; }));
  ASSERT_TRUE(second.send(request("hold")));
  ASSERT_TRUE(eventually([&] { return network->workers().waiting() == 1; }));
  EXPECT_EQ(third.ask("hold"), -1);
  ASSERT_TRUE(third.send(request("hold")));
  const Bytes refusal = third.receive();
  ASSERT_FALSE(refusal.empty());
  EXPECT_EQ(read_reply(refusal).body["codeName"].as_string(), "IngressRequestRateLimitExceeded");
  EXPECT_EQ(third.ask("ping", 6), 6);
  release.set_value();
  EXPECT_EQ(first.receive_number(), 1);
  EXPECT_EQ(second.receive_number(), 1);
}

}  // namespace
}  // namespace partita::test
