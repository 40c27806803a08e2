// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstdio>
#include <span>

#include "tests/wire/net/client.h"
#include "tests/wire/net/scripted_service.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // Its own book-keeping is most of what would be measured.
#else
constexpr bool kSanitized = false;
#endif

namespace partita::test {
namespace {

using wire::Next;

/// What this process holds in memory, in bytes; the clients of these tests live in it too.
std::size_t resident() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t grown_since(std::size_t before) {
  const std::size_t now = resident();
  return now > before ? now - before : 0;
}

void expect_growth_below(std::size_t limit, std::size_t before) {
  if (kSanitized) return;
  EXPECT_LT(grown_since(before), limit);
}

struct MemoryTest : testing::Test, Server {
  void SetUp() override {
    start();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(Client(port()).ask("ping", i), i);
  }
  std::vector<Client> clients(int count) {
    std::vector<Client> made;
    made.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) made.emplace_back(port());
    return made;
  }
};

TEST_F(MemoryTest, IdleConnectionsAreNearlyFree) {
  constexpr int kConnections = 2000;
  const std::size_t before = resident();
  std::vector<Client> idle = clients(kConnections);
  for (Client& one : idle) ASSERT_EQ(one.ask("ping", 1), 1);  // Idle, not untouched.
  EXPECT_EQ(network->counts().current, static_cast<std::size_t>(kConnections));
  const std::size_t each = grown_since(before) / kConnections;
  RecordProperty("bytes_each", static_cast<int>(each));
  std::printf("%zu bytes for each idle connection\n", each);
  expect_growth_below(4096 * kConnections, before);
}

TEST_F(MemoryTest, AClaimedLengthTakesNoMemory) {
  constexpr int kConnections = 500;
  const std::size_t before = resident();
  std::vector<Client> hostile = clients(kConnections);
  const Bytes beginning = bytes(std::int32_t{48'000'000}, std::int32_t{1}, std::int16_t{0});
  for (Client& one : hostile) ASSERT_TRUE(one.send(beginning));
  ASSERT_TRUE(eventually([&] { return network->counts().current == kConnections; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  expect_growth_below(32 * 1024 * kConnections, before);
  EXPECT_EQ(Client(port()).ask("ping", 2), 2);
}

TEST_F(MemoryTest, TakesTheLargestMessageAndGivesItsMemoryBack) {
  service.on("measure", [](const Scene& scene) {
    return scene.reply(static_cast<std::int64_t>(scene.request.sequence("documents")->bytes.size()));
  });
  const auto document = bson::Document::build([](bson::Writer& w) { w.add("text", std::string(1'000'000, 'x')); });
  Bytes documents;
  constexpr int kDocuments = 47;
  for (int i = 0; i < kDocuments; ++i) put(documents, bytes_of(document));
  const Bytes message =
      op_msg(0, body_section(command("measure")), sequence_section("documents", documents));
  ASSERT_GT(message.size(), 47'000'000U);
  Client one(port());
  const std::size_t before = resident();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(one.send(message));
    ASSERT_EQ(one.receive_number(), static_cast<std::int64_t>(documents.size()));
  }
  ASSERT_EQ(one.ask("ping", 1), 1);
  expect_growth_below(32 * 1024 * 1024, before);  // The allocator keeps a part for the next one.
}

// The memory of large messages goes to the next large one. A connection that waits after one, as each driver's monitor does,
// or has sent the beginning of a message, must not walk away with it.
TEST_F(MemoryTest, WhoWaitsHoldsNoMemoryOfLargeMessages) {
  service.on("large", [](const Scene& scene) {
    const bool asked = scene.request.sequence("documents") != nullptr;
    if (!asked) bson::Writer(scene.out).add("text", std::string(4 << 20, 'x'));
    return asked ? scene.reply(1) : Next::kReply;
  });
  service.on("wait", [](const Scene& scene) { return scene.call == 1 ? Next::kWait : scene.reply(scene.call); });
  const auto document = bson::Document::build([](bson::Writer& w) { w.add("text", std::string(1'000'000, 'x')); });
  Bytes documents;
  for (int i = 0; i < 4; ++i) put(documents, bytes_of(document));
  const Bytes question = op_msg(0, body_section(command("large")), sequence_section("documents", documents));
  std::vector<Client> large = clients(2);  // One for each core.
  const auto exchange = [&] {
    for (Client& one : large) {
      ASSERT_TRUE(one.send(question));
      ASSERT_EQ(one.receive_number(), 1);
      ASSERT_TRUE(one.send(request("large")));
      ASSERT_GT(one.receive().size(), 4U << 20);
    }
  };
  exchange();
  constexpr int kRounds = 40;
  const std::size_t before = resident();
  std::vector<Client> monitors, slow;
  for (int round = 0; round < kRounds; ++round) {
    exchange();
    for (Client& one : clients(2)) monitors.push_back(std::move(one));
    for (Client& one : clients(2)) slow.push_back(std::move(one));
    for (Client& one : std::span(monitors).last(2)) ASSERT_TRUE(one.send(request("wait")));
    for (Client& one : std::span(slow).last(2)) ASSERT_TRUE(one.send(std::span(question).first(30)));
    ASSERT_TRUE(eventually([&] { return service.waiting() == monitors.size(); }));
  }
  expect_growth_below(48 << 20, before);  // All that they would have taken along is several times that.
  service.wake();
}

TEST_F(MemoryTest, WhoNeverReadsIsNotServedFurther) {
  constexpr std::size_t kReply = 1024 * 1024;
  std::atomic<int> served{0};
  service.on("large", [&](const Scene& scene) {
    ++served;
    bson::Writer(scene.out).add("text", std::string(kReply, 'x'));
    return Next::kReply;
  });
  Client one(port());
  constexpr int kRequests = 100;
  Bytes requests;
  for (int i = 0; i < kRequests; ++i) put(requests, request("large"));
  const std::size_t before = resident();
  ASSERT_TRUE(one.send(requests));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(served, kRequests / 3);  // The rest waits: what the kernel's buffers take has been answered.
  expect_growth_below(16 * 1024 * 1024, before);
  for (int i = 0; i < kRequests; ++i) ASSERT_FALSE(one.receive().empty());
  EXPECT_EQ(served, kRequests);
}

}  // namespace
}  // namespace partita::test
