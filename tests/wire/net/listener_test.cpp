// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/wire/net/client.h"
#include "tests/wire/net/scripted_service.h"

namespace partita::test {
namespace {

using testing::HasSubstr;
using wire::Listener;
using wire::ListenOptions;

/// A directory of the test's own, gone with it.
struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "partita-net-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  std::string path;
};

ListenOptions any_port() { return {.port = 0, .unix_prefix = ""}; }

std::string failure(const ListenOptions& options) {
  const auto listener = Listener::open(options);
  return listener.ok() ? "" : listener.status().message();
}

TEST(Listener, NamesTheAddressThatIsTaken) {
  const auto first = Listener::open(any_port());
  ASSERT_TRUE(first.ok());
  const std::uint16_t port = first.value()->port();
  EXPECT_EQ(failure({.port = port, .unix_prefix = ""}),
            "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use");
}

TEST(Listener, NamesTheHostThatDoesNotExist) {
  ListenOptions options = any_port();
  options.addresses = {"no-such-host.invalid"};
  EXPECT_THAT(failure(options), HasSubstr("cannot listen on no-such-host.invalid: "));
}

TEST(Listener, TakesAllAddressesAtOnePort) {
  ListenOptions options = any_port();
  options.addresses = {"127.0.0.1", "127.0.0.2", "::1"};
  options.ipv6 = true;
  const auto listener = Listener::open(options);
  if (!listener.ok()) GTEST_SKIP() << listener.status().message();  // A machine without IPv6.
  const std::string port = ":" + std::to_string(listener.value()->port());
  EXPECT_THAT(listener.value()->names(), testing::ElementsAre("127.0.0.1" + port, "127.0.0.2" + port, "[::1]" + port));
}

TEST(Listener, LeavesIPv6AloneUnlessAsked) {
  ListenOptions options = any_port();
  options.addresses = {"::1"};
  EXPECT_THAT(failure(options), HasSubstr("IPv6 is off"));
  options.addresses = {"localhost"};
  const auto listener = Listener::open(options);
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  for (const std::string& name : listener.value()->names()) EXPECT_THAT(name, HasSubstr("127.0.0.1"));
}

TEST(Listener, MakesAPrivateSocketFileAndTakesItAwayAgain) {
  const TemporaryDirectory directory;
  Server server({.listen = {.unix_prefix = directory.path}});
  server.start();
  const std::string path = directory.path + "/mongodb-" + std::to_string(server.port()) + ".sock";
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
  Client client(path);
  EXPECT_EQ(client.ask("ping", 3), 3);
  EXPECT_TRUE(server.network->stop({}));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Listener, ReplacesTheSocketFileOfADeadServer) {
  const TemporaryDirectory directory;
  const std::string path = directory.path + "/left.sock";
  ListenOptions options = any_port();
  options.addresses = {path};
  {
    const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(left);
  }
  EXPECT_EQ(failure(options), "");
}

TEST(Listener, DoesNotReplaceAFileThatIsNoSocket) {
  const TemporaryDirectory directory;
  const std::string path = directory.path + "/precious";
  std::ofstream(path) << "data";
  ListenOptions options = any_port();
  options.addresses = {path};
  EXPECT_THAT(failure(options), HasSubstr(path));
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST(Listener, SaysThatAPathIsTooLong) {
  ListenOptions options = any_port();
  options.unix_prefix = "/" + std::string(120, 'x');
  EXPECT_THAT(failure(options), HasSubstr("must be shorter than"));
}

TEST(Listener, ClosesConnectionsOverTheLimit) {
  Server server({.max_connections = 3});
  server.start();
  std::vector<Client> inside;
  for (int i = 0; i < 3; ++i) {
    inside.emplace_back(server.port());
    ASSERT_EQ(inside.back().ask("ping", i), i);
  }
  Client outside(server.port());
  EXPECT_TRUE(outside.sees_end());
  EXPECT_EQ(server.network->counts().rejected, 1U);
  EXPECT_EQ(inside[0].ask("ping", 5), 5);

  inside.pop_back();
  ASSERT_TRUE(eventually([&] { return server.network->counts().current == 2; }));
  EXPECT_EQ(Client(server.port()).ask("ping", 6), 6);
}

TEST(Listener, WaitsForDescriptorsAndServesThoseWhoAreIn) {
  Server server;
  server.start();
  Client inside(server.port());
  ASSERT_EQ(inside.ask("ping", 1), 1);
  // A client's socket, then nothing is left for the server's end of it.
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{static_cast<rlim_t>(socket) + 1, before.rlim_max};
  std::vector<int> fillers;
  for (int one = ::dup(0); one >= 0 && one < socket; one = ::dup(0)) fillers.push_back(one);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(server.network->counts().created, 1U);
  EXPECT_EQ(inside.ask("ping", 2), 2);

  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(eventually([&] { return server.network->counts().created == 2; }));
  for (const int one : fillers) ::close(one);
  ::close(socket);
}

}  // namespace
}  // namespace partita::test
