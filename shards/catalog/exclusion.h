// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "shards/catalog/collection.h"

namespace partita::shards {

/// Tells the writers of some partitions that they will soon be kept out, so that those inside have left when it comes to that:
/// for who can wait a little before, but nobody for long then.
class Announcement {
 public:
  explicit Announcement(std::span<const PartitionSlot> slots) {
    for (const PartitionSlot& slot : slots) add(slot.partition);
  }
  explicit Announcement(const std::shared_ptr<Partition>& partition) { add(partition); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  ~Announcement() {
    for (const auto& partition : announced_) partition->gate().announce(-1);
  }
  /// Until nobody is inside, or as long as visits take that had begun before: a large batch of documents on a busy machine too.
  /// Who has slept is not made to wait for a processor either.
  void let_leave() const {
    constexpr int kMostLooks = 25;
    const auto is_visited = [](const auto& partition) { return partition->gate().inside() > 0; };
    for (int look = 0; look < kMostLooks && std::ranges::any_of(announced_, is_visited); ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  void add(std::shared_ptr<Partition> partition) {
    partition->gate().announce(1);
    announced_.push_back(std::move(partition));
  }
  std::vector<std::shared_ptr<Partition>> announced_;
};

/// Keeps writers out of a collection until it is opened with a new version, or given up. Making one waits for those who
/// are inside. One at a time for a collection: the catalog sees to it.
class Exclusion {
 public:
  explicit Exclusion(const Collection& collection) : Exclusion(std::span(collection.partitions)) {}
  /// Of some of its partitions.
  explicit Exclusion(std::span<const PartitionSlot> slots) {
    for (const PartitionSlot& slot : slots) {
      slot.partition->gate().close();
      closed_.push_back(slot.partition);
    }
  }
  /// Out of some of its partitions.
  explicit Exclusion(std::vector<std::shared_ptr<Partition>> partitions) : closed_(std::move(partitions)) {
    for (const auto& partition : closed_) partition->gate().close();
  }
  Exclusion(Exclusion&&) noexcept = default;
  Exclusion& operator=(Exclusion&&) = delete;
  ~Exclusion() {
    for (const auto& partition : closed_) partition->gate().open(partition->gate().version());
  }

  void open(std::uint64_t version) {
    for (const auto& partition : closed_) partition->gate().open(version);
    closed_.clear();
  }

 private:
  std::vector<std::shared_ptr<Partition>> closed_;
};

}  // namespace partita::shards
