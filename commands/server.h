// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <semaphore>
#include <thread>
#include <unordered_set>

#include "commands/cursors.h"
#include "commands/metrics.h"
#include "commands/namespace_times.h"
#include "commands/operation.h"
#include "commands/profiler/profiler.h"
#include "commands/settings/server_parameters.h"
#include "commands/settings/settings.h"
#include "commands/topology_version.h"
#include "wire/net/timer.h"
#include "wire/net/worker_pool.h"

namespace partita::shards {
class Store;
}

namespace partita::wire {
class Network;
}

namespace partita::commands {

class ClientConnection;

/// Connections that are open now, for currentOp, serverStatus and killOp.
class Connections {
 public:
  void add(ClientConnection* connection);
  void remove(ClientConnection* connection);
  /// Calls `each(ClientConnection&)` for all; none goes away meanwhile.
  template <class Each>
  void for_each(Each&& each) {
    const std::lock_guard lock(mutex_);
    for (ClientConnection* connection : open_) each(*connection);
  }
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  std::int64_t total() const { return total_.load(std::memory_order_relaxed); }
  std::int64_t next_operation_id() { return next_operation_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::mutex mutex_;
  std::unordered_set<ClientConnection*> open_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::int64_t> total_{0};
  std::atomic<std::int64_t> next_operation_{1};
};

/// Everything that commands share. Wired together by tools/server and by tests; its parts outlive all connections.
struct Server {
  shards::Store& store;
  wire::Timers& timers;
  Cursors& cursors;
  Connections connections{};
  std::atomic<bool> stopping{false};
  SteadyTime started = std::chrono::steady_clock::now();
  Settings settings{};
  wire::Network* network = nullptr;  ///< Set once there is one; tests speak to commands without.
  TopologyVersion topology = TopologyVersion::fresh();
  Metrics metrics{};
  NamespaceTimes namespace_times{};
  Profiler profiler{store};
  /// Large writes take turns: as many at once as processors can work on. More of them would drive each other out of the
  /// processors' caches, and what they have written and not committed cannot leave the engine's.
  std::counting_semaphore<> large_writes{std::max<std::ptrdiff_t>(std::thread::hardware_concurrency(), 2)};
  /// Help with queries over several partitions. Never with a query as a whole: those who wait for legs are workers, so that
  /// no leg waits for a thread that waits for legs. More than there are processors only while many queries ask for more.
  wire::WorkerPool leg_threads{"leg", std::max(std::thread::hardware_concurrency(), 1U), 4096,
                               {.most = [] { return static_cast<unsigned>(parameters::max_leg_threads.get()); }}};
};

}  // namespace partita::commands
