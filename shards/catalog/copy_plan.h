// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/catalog.h"

namespace partita::shards {

/// What a copy puts in the place of neighbouring partitions.
struct Catalog::CopyPlan {
  Collection::Run places;  ///< Those that go: whole segments.
  std::shared_ptr<const Sharding> sharding;
  CollectionRow row;       ///< The collection's when it is done.
  std::string claims;      ///< The table of claims that is to be filled; empty where there is none, or it is filled already.
  PartitionId first{0};    ///< Ids begin here.
  std::string min;
  std::vector<std::string> bounds;
  std::size_t most_segments = SIZE_MAX;
  std::vector<std::vector<PartitionId>> inherits;  ///< Of each new one; or one for all.
  std::vector<std::optional<PartitionId>> origins;  ///< The same; none: they begin anew.
};

/// What others want of a copy that is under way. Known to the catalog while it lives.
class Catalog::CopyWishes {
 public:
  CopyWishes(Catalog& catalog, const Uuid& collection);
  ~CopyWishes();
  CopyWishes(const CopyWishes&) = delete;
  CopyWishes& operator=(const CopyWishes&) = delete;

  std::atomic<bool> aborted{false};
  std::atomic<bool> hurried{false};

 private:
  Catalog& catalog_;
  const Uuid collection_;
};

/// The table of claims that a collection shall have by its new row and has not yet; empty when there is none.
Result<std::string> new_claims(const CollectionRow& row, const Sharding* before);

/// InvalidOptions where a unique index could not be kept over several partitions.
Status check_unique_indexes(const Collection& collection, const Sharding& sharding);

}  // namespace partita::shards
