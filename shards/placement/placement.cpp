// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/placement/placement.h"

namespace partita::shards {

Status ReplicaRef::elsewhere() const {
  return error(Code::NotWritablePrimary, "another server serves partition ", static_cast<std::uint32_t>(waiter_.partition));
}

void ReplicaRef::await_suspend(std::coroutine_handle<> waiting) {
  waiter_.context = waiting.address();
  waiter_.arrived = [](ReplicaWaiter& waiter) { std::coroutine_handle<>::from_address(waiter.context).resume(); };
  route_->reach(waiter_);
}

Result<const PartitionSlot*> ReplicaRef::await_resume() {
  if (slot_ != nullptr) return slot_;
  CHECK_OK(std::move(waiter_.status));
  return waiter_.slot;
}

}  // namespace partita::shards
