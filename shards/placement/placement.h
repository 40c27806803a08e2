// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>

#include "shards/catalog/collection.h"

namespace partita::shards {

/// Somebody who waits for a replica; it stays where it is until `arrived` has been called, once, on any thread.
struct ReplicaWaiter {
  PartitionId partition{0};
  std::uint64_t version = 0;  ///< Of the map by which the caller was routed.
  void (*arrived)(ReplicaWaiter& waiter) = nullptr;
  void* context = nullptr;

  Status status;
  const PartitionSlot* slot = nullptr;  ///< Set when the status is ok; lives as long as the collection it was located in.
};

/// Leads to replicas that are not, or not yet, in this process.
class ReplicaRoute {
 public:
  virtual void reach(ReplicaWaiter& waiter) = 0;

 protected:
  ~ReplicaRoute() = default;
};

/// Where a record key is served. A replica in this process is two pointers and is used at once; one behind a route has to
/// be waited for. Coroutines co_await either; code that runs to the end asks here(). Valid as long as the collection.
class ReplicaRef {
 public:
  explicit ReplicaRef(const PartitionSlot& slot) : slot_(&slot) {}
  ReplicaRef(PartitionId partition, std::uint64_t version, ReplicaRoute& route) : route_(&route) {
    waiter_.partition = partition;
    waiter_.version = version;
  }

  /// NotWritablePrimary when the replica is somewhere else: nothing has happened, and the whole request may be sent there.
  Result<const PartitionSlot*> here() const {
    if (slot_ == nullptr) [[unlikely]] return elsewhere();
    return slot_;
  }

  bool await_ready() const noexcept { return slot_ != nullptr; }
  void await_suspend(std::coroutine_handle<> waiting);
  Result<const PartitionSlot*> await_resume();

 private:
  Status elsewhere() const;

  const PartitionSlot* slot_ = nullptr;
  ReplicaRoute* route_ = nullptr;
  ReplicaWaiter waiter_;
};

/// Says which replica serves what. Every operation on documents asks it, by record key or by place in the map. A server
/// that stands alone has one replica of everything, and asking it is looking into the map. Thread-safe.
class Placement {
 public:
  /// `collection` is the namespace as one version of the map has it.
  static ReplicaRef locate(const Collection& collection, Bytes record_key) {
    return ReplicaRef(collection.locate(record_key));
  }
  /// The partition at a place in the map, for scans, which go from one to the next.
  static ReplicaRef locate(const Collection& collection, std::size_t place) {
    return ReplicaRef(collection.partitions[place]);
  }
};

}  // namespace partita::shards
