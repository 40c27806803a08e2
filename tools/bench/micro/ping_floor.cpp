// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the network costs by itself: server CPU per request of a server that answers {ok: 1} to everything, beside the
// least that Asio can do (--bare: one coroutine per connection, a fixed reply, nothing parsed). Client and server are
// two processes of this program: ping_floor [--bare] [clients] [seconds]
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "wire/bson/writer.h"
#include "wire/message/header.h"
#include "wire/net/network.h"

namespace partita {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Ok : wire::Conversation {
  wire::Next serve(const wire::Request&, bson::Buffer& out, bool) override {
    bson::Writer(out).add("ok", 1.0);
    return wire::Next::kReply;
  }
  void on_wait(std::function<void()>) override {}
};
struct OkService : wire::Service {
  std::unique_ptr<wire::Conversation> open(std::shared_ptr<wire::Peer>) override { return std::make_unique<Ok>(); }
};

bson::Buffer message(bool request) {
  bson::Buffer out;
  out.prepare(wire::kHeaderSize);
  out.commit(wire::kHeaderSize);
  out.put(std::uint32_t{0});
  out.push(0);
  {
    bson::Writer body(out);
    if (request) {
      body.add("ping", 1);
      body.add("$db", "admin");
    } else {
      body.add("ok", 1.0);
    }
  }
  wire::Header{static_cast<std::uint32_t>(out.size()), 1, request ? 0 : 1, wire::OpCode::kMsg}.write(out.data());
  return out;
}

asio::awaitable<void> answer(tcp::socket socket) {
  std::array<std::uint8_t, 4096> bytes;
  const bson::Buffer reply = message(false);
  const auto quietly = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    const auto [read_failure, received] = co_await socket.async_read_some(asio::buffer(bytes), quietly);
    if (read_failure) co_return;
    const auto [write_failure, sent] =
        co_await asio::async_write(socket, asio::buffer(reply.data(), reply.size()), quietly);
    if (write_failure) co_return;
  }
}

[[noreturn]] void serve_bare(int ready) {
  const unsigned cores = std::thread::hardware_concurrency();
  std::deque<asio::io_context> contexts;
  for (unsigned i = 0; i < cores; ++i) contexts.emplace_back(1);
  std::vector<std::thread> threads;
  tcp::acceptor acceptor(contexts[0], tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  const std::uint16_t port = acceptor.local_endpoint().port();
  (void)!::write(ready, &port, sizeof port);
  for (asio::io_context& context : contexts)
    threads.emplace_back([&context] {
      const auto guard = asio::make_work_guard(context);
      context.run();
    });
  for (unsigned turn = 0;; ++turn) {
    asio::io_context& context = contexts[turn % cores];
    tcp::socket socket = acceptor.accept(context);
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(context, answer(std::move(socket)), asio::detached);
  }
}

[[noreturn]] void serve(int ready) {
  wire::NetworkOptions options;
  options.listen.port = 0;
  options.listen.unix_prefix.clear();
  auto network = wire::Network::open(options);
  if (!network.ok()) std::exit(1);
  const std::uint16_t port = network.value()->port();
  OkService service;
  network.value()->serve(service);
  (void)!::write(ready, &port, sizeof port);
  for (;;) ::pause();
}

void ask(std::uint16_t port, const std::atomic<bool>& stop, std::atomic<std::uint64_t>& total) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  constexpr int kOn = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  const bson::Buffer request = message(true);
  std::array<std::uint8_t, 4096> reply;
  std::uint64_t done = 0;
  for (; !stop.load(std::memory_order_relaxed); ++done)
    if (::send(socket, request.data(), request.size(), 0) < 0 || ::recv(socket, reply.data(), reply.size(), 0) <= 0)
      std::abort();
  total += done;
  ::close(socket);
}

double cpu_seconds(const rusage& used) {
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

int measure(bool bare, int clients, int seconds) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return 1;
  const pid_t server = ::fork();
  if (server == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    bare ? serve_bare(pipe[1]) : serve(pipe[1]);
  }
  std::uint16_t port = 0;
  if (::read(pipe[0], &port, sizeof port) != sizeof port) return 1;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) threads.emplace_back([&] { ask(port, stop, total); });
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  ::kill(server, SIGKILL);
  rusage used{};
  int status = 0;
  ::wait4(server, &status, 0, &used);
  const auto requests = static_cast<double>(total.load());
  std::printf("%-6s %3d clients  %8.0f requests/s  %5.2f us of server CPU each\n", bare ? "bare" : "server", clients,
              requests / seconds, 1e6 * cpu_seconds(used) / requests);
  return 0;
}

}  // namespace
}  // namespace partita

int main(int argc, char** argv) {
  const bool bare = argc > 1 && std::string_view(argv[1]) == "--bare";
  const int first = bare ? 2 : 1;
  const int clients = argc > first ? std::atoi(argv[first]) : 16;
  const int seconds = argc > first + 1 ? std::atoi(argv[first + 1]) : 3;
  return partita::measure(bare, clients, seconds);
}
