// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>

#include "wire/message/exchange.h"
#include "wire/net/connection.h"
#include "wire/net/cores.h"
#include "wire/net/gate.h"
#include "wire/net/listener.h"
#include "wire/net/service.h"
#include "wire/net/worker_pool.h"

namespace partita::wire {

struct NetworkOptions {
  ListenOptions listen;
  Exchange::Options exchange;
  std::size_t max_connections = 65536;  ///< At most what descriptors allow: see Network::max_connections().
  unsigned cores = 0;                   ///< 0 = one per processor.
  unsigned workers = 0;                 ///< 0 = a few per processor: some of them wait for the disk.
  WorkerPool::Growth more_workers;      ///< More of them while work waits; by default none.
  std::size_t max_waiting_jobs = 4096;
};

/// For serverStatus.
struct ConnectionCounts {
  std::size_t current = 0;
  std::size_t available = 0;
  std::uint64_t created = 0;
  std::uint64_t rejected = 0;
};

/// How long stop() is patient; both are counted from its beginning.
struct Patience {
  std::chrono::milliseconds before_hurrying{2000};  ///< Then work in hand is told to give up.
  std::chrono::milliseconds before_cutting{5000};   ///< Then clients who do not read are cut off.
  std::chrono::milliseconds before_leaving{7000};   ///< Then whatever still runs on a worker is left to itself.
};

/// The whole of the server that faces its clients: ports, io threads, workers and connections.
/// Any thread may call it; serve() and stop() once each.
class Network {
 public:
  /// Takes the ports, before anything slow is begun: who comes early waits in the kernel's queue.
  static Result<std::unique_ptr<Network>> open(const NetworkOptions& options);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  /// Stops, if that has not been done. What waits for a waker must not call it any more.
  ~Network();

  /// Begins to accept connections, for `service`, which must outlive stop().
  void serve(Service& service);

  /// Accepts no more, lets requests in hand be answered, closes connections as they become idle. True when all are
  /// gone; false when a worker is still busy, so that nothing the service uses may be taken down.
  bool stop(Patience patience);

  std::uint16_t port() const { return listener_->port(); }
  const std::vector<std::string>& names() const { return listener_->names(); }
  std::size_t max_connections() const { return max_connections_; }
  ConnectionCounts counts() const;
  Cores& cores() { return cores_; }
  WorkerPool& workers() { return workers_; }

 private:
  Network(const NetworkOptions& options, std::unique_ptr<Listener> listener);
  void accept(int socket, bool unix_socket);
  template <class Function>
  void on_all_connections(Function function);

  const Exchange::Options exchange_;
  const std::size_t max_connections_;
  std::unique_ptr<Listener> listener_;
  Gate open_;  ///< Every connection holds a pass.
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> rejected_{0};
  WorkerPool workers_;
  Cores cores_;
  std::deque<Surroundings> around_;  ///< One for each core.
};

}  // namespace partita::wire
