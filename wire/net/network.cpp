// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/network.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "wire/log/log.h"
#include "wire/net/socket_name.h"

namespace partita::wire {

namespace {

/// A part of the descriptors is the storage engine's.
std::size_t affordable(std::size_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return wanted;
  return std::min<std::size_t>(wanted, static_cast<std::size_t>(files.rlim_cur) / 5 * 4);
}

unsigned worker_count(unsigned wanted) {
  constexpr unsigned kFewest = 8;
  return wanted > 0 ? wanted : std::max(kFewest, 4 * std::thread::hardware_concurrency());
}

void tune_tcp(int socket) {
  constexpr int kOn = 1;
  constexpr int kIdleSeconds = 120;  // What the drivers' manuals advise: below the time-outs of most firewalls.
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
}

}  // namespace

Result<std::unique_ptr<Network>> Network::open(const NetworkOptions& options) {
  TRY(auto listener, Listener::open(options.listen));
  return std::unique_ptr<Network>(new Network(options, std::move(listener)));
}

Network::Network(const NetworkOptions& options, std::unique_ptr<Listener> listener)
    : exchange_(options.exchange),
      max_connections_(affordable(options.max_connections)),
      listener_(std::move(listener)),
      workers_("worker", worker_count(options.workers), options.max_waiting_jobs, options.more_workers),
      cores_(options.cores) {}

Network::~Network() { stop(Patience{}); }

void Network::serve(Service& service) {
  for (unsigned i = 0; i < cores_.count(); ++i)
    around_.push_back(Surroundings{cores_[i], workers_, service, exchange_});
  listener_->start([this](int socket, bool unix_socket) { accept(socket, unix_socket); });
}

/// On the listener's thread.
void Network::accept(int socket, bool unix_socket) {
  if (const std::size_t inside = open_.inside(); inside >= max_connections_) {
    ++rejected_;
    log::info(log::Component::kNetwork, 22942, "Connection refused because there are too many open connections",
              {{"remote", remote_name(socket)}, {"connectionCount", inside}});
    ::close(socket);
    return;
  }
  auto pass = open_.enter();
  if (!pass) {
    ::close(socket);
    return;
  }
  if (!unix_socket) tune_tcp(socket);
  auto peer = std::make_shared<Peer>();
  peer->connection_id = static_cast<std::int64_t>(++created_);
  peer->unix_socket = unix_socket;
  peer->local = local_name(socket);
  peer->remote = unix_socket ? peer->local : remote_name(socket);
  Core& core = cores_.next();
  peer->core = core.number;
  auto start = [this, socket, peer = std::move(peer), pass = std::move(*pass), &core]() mutable {
    Connection::start(around_[core.number], socket, std::move(peer), std::move(pass));
  };
  boost::asio::post(core.io, std::move(start));
}

/// Calls `function(connection)` for all of them, each on its core. Does not wait for that.
template <class Function>
void Network::on_all_connections(Function function) {
  for (Surroundings& around : around_) {
    auto visit = [&around, function] {
      // The function may end the connection that it is given.
      for (auto it = around.connections.begin(); it != around.connections.end();) function(*it++);
    };
    boost::asio::post(around.core.io, std::move(visit));
  }
}

bool Network::stop(Patience patience) {
  const auto began = std::chrono::steady_clock::now();
  listener_->stop();
  open_.shut();
  on_all_connections([](Connection& connection) { connection.finish(); });
  bool all_gone = open_.close_until(began + patience.before_hurrying);
  if (!all_gone) {
    on_all_connections([](Connection& connection) { connection.hurry(); });
    all_gone = open_.close_until(began + patience.before_cutting);
  }
  if (!all_gone) {
    on_all_connections([](Connection& connection) { connection.abort(); });
    all_gone = open_.close_until(began + patience.before_leaving);
  }
  if (!all_gone) return false;
  workers_.drain();
  cores_.stop();
  return true;
}

ConnectionCounts Network::counts() const {
  const std::size_t current = open_.inside();
  return {current, max_connections_ - std::min(current, max_connections_), created_, rejected_};
}

}  // namespace partita::wire
