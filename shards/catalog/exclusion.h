// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/collection.h"

namespace partita::shards {

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
