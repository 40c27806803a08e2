// SPDX-License-Identifier: GPL-3.0-or-later
// Ways in: plain, compressed, over a unix socket, under a name; and the monitoring that keeps a driver's view fresh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/driver/server.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;

class Compressed : public testing::TestWithParam<const char*> {};

TEST_P(Compressed, CommandsAndAnswersArrive) {
  Server& server = Server::shared();
  const client::Client client = server.connect(std::string("compressors=") + GetParam());
  client::Reply hello;
  const std::string offer = std::string(R"({"hello": 1, "compression": [")") + GetParam() + R"("]})";
  ASSERT_FALSE(client::run(client.get(), "admin", json(offer).get(), hello));
  EXPECT_THAT(hello.text(), testing::HasSubstr(std::string(R"("compression" : [ ")") + GetParam() + R"(" ])"));
  const Emptied collection(client.get(), "compressed");
  const std::string text(100'000, 'x');
  EXPECT_EQ(collection.insert(R"({"_id": 1, "text": ")" + text + R"("})"), std::nullopt);
  EXPECT_EQ(count(client.get(), "compressed", R"({"text": ")" + text + R"("})"), 1);
}

INSTANTIATE_TEST_SUITE_P(By, Compressed, testing::Values("snappy", "zlib", "zstd"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Connect, UnixSocket) {
  const client::Client client(mongoc_client_new(Server::shared().socket_uri().c_str()));
  must_run(client.get(), R"({"ping": 1})");
}

/// The server knows a client by the name in its handshake: a fail point for one name leaves others alone.
TEST(Connect, AppName) {
  const client::Client plain = Server::shared().connect();
  const client::Client named = Server::shared().connect("appName=marked");
  const FailPoint only(plain.get(), "failCommand",
                       R"("mode": "alwaysOn", "data": {"failCommands": ["ping"], "errorCode": 8, "appName": "marked"})");
  must_run(plain.get(), R"({"ping": 1})");
  client::Reply reply;
  EXPECT_TRUE(client::run(named.get(), "driver", json(R"({"ping": 1})").get(), reply));
  EXPECT_EQ(reply.number("code"), 8);
}

struct Heartbeats {
  std::atomic<int> awaited{0};
  std::atomic<int> failed{0};
};

void on_success(const mongoc_apm_server_heartbeat_succeeded_t* event) {
  auto* seen = static_cast<Heartbeats*>(mongoc_apm_server_heartbeat_succeeded_get_context(event));
  if (mongoc_apm_server_heartbeat_succeeded_get_awaited(event)) ++seen->awaited;
}
void on_failure(const mongoc_apm_server_heartbeat_failed_t* event) {
  ++static_cast<Heartbeats*>(mongoc_apm_server_heartbeat_failed_get_context(event))->failed;
}

/// A pool's monitor asks once, and then the server goes on answering by itself.
TEST(Connect, MonitorsAreStreamedTo) {
  Heartbeats seen;
  const client::Uri uri(mongoc_uri_new(Server::shared().uri("heartbeatFrequencyMS=500").c_str()));
  mongoc_client_pool_t* pool = mongoc_client_pool_new(uri.get());
  mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
  mongoc_apm_set_server_heartbeat_succeeded_cb(callbacks, on_success);
  mongoc_apm_set_server_heartbeat_failed_cb(callbacks, on_failure);
  mongoc_client_pool_set_apm_callbacks(pool, callbacks, &seen);
  mongoc_client_t* client = mongoc_client_pool_pop(pool);
  must_run(client, R"({"ping": 1})");
  for (int i = 0; i < 500 && seen.awaited < 3; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_GE(seen.awaited, 3);
  EXPECT_EQ(seen.failed, 0);
  mongoc_client_pool_push(pool, client);
  mongoc_client_pool_destroy(pool);
  mongoc_apm_callbacks_destroy(callbacks);
}

}  // namespace
}  // namespace partita::test
