// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/placement/placement.h"

#include <gtest/gtest.h>

namespace partita::shards {
namespace {

/// A coroutine that starts at once and cleans up after itself.
struct Started {
  struct promise_type {
    Started get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Started use(ReplicaRef replica, std::optional<Result<const PartitionSlot*>>& found) {
  found.emplace(co_await replica);
}

/// Keeps whoever asks waiting.
class Slow final : public ReplicaRoute {
 public:
  void reach(ReplicaWaiter& waiter) override { waiting = &waiter; }
  ReplicaWaiter* waiting = nullptr;
};

Collection two_partitions() {
  Collection collection;
  collection.version = 7;
  collection.partitions.push_back({"", std::make_shared<Partition>(PartitionId{1}, Uuid{}, kNoTable), {}});
  collection.partitions.push_back({"m", std::make_shared<Partition>(PartitionId{2}, Uuid{}, kNoTable), {}});
  return collection;
}

Bytes key(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

TEST(Placement, FindsThePartitionOfAKey) {
  const Collection collection = two_partitions();
  EXPECT_EQ(*Placement::locate(collection, key("a")).here(), &collection.partitions[0]);
  EXPECT_EQ(*Placement::locate(collection, key("m")).here(), &collection.partitions[1]);
  EXPECT_EQ(*Placement::locate(collection, 1).here(), &collection.partitions[1]);
}

TEST(Placement, DoesNotSuspendForAReplicaThatIsHere) {
  const Collection collection = two_partitions();
  std::optional<Result<const PartitionSlot*>> found;
  use(Placement::locate(collection, key("z")), found);
  ASSERT_TRUE(found);
  EXPECT_EQ(**found, &collection.partitions[1]);
}

TEST(Placement, WaitsForAReplicaBehindARoute) {
  const Collection collection = two_partitions();
  Slow route;
  std::optional<Result<const PartitionSlot*>> found;
  use(ReplicaRef(PartitionId{2}, collection.version, route), found);
  ASSERT_NE(route.waiting, nullptr);
  EXPECT_FALSE(found);
  EXPECT_EQ(route.waiting->partition, PartitionId{2});
  EXPECT_EQ(route.waiting->version, 7u);
  route.waiting->slot = &collection.partitions[1];
  route.waiting->arrived(*route.waiting);
  ASSERT_TRUE(found);
  EXPECT_EQ(**found, &collection.partitions[1]);
}

TEST(Placement, TellsThatAReplicaCannotBeReached) {
  Slow route;
  std::optional<Result<const PartitionSlot*>> found;
  use(ReplicaRef(PartitionId{2}, 1, route), found);
  route.waiting->status = error(Code::HostUnreachable, "no way");
  route.waiting->arrived(*route.waiting);
  EXPECT_EQ(found->status().code(), Code::HostUnreachable);
}

TEST(Placement, TellsCodeThatRunsToTheEndThatTheReplicaIsElsewhere) {
  Slow route;
  EXPECT_EQ(ReplicaRef(PartitionId{2}, 1, route).here().status().code(), Code::NotWritablePrimary);
  EXPECT_EQ(route.waiting, nullptr);
}

}  // namespace
}  // namespace partita::shards
