// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "shards/catalog/collection.h"
#include "shards/indexes/build_progress.h"
#include "shards/indexes/entries.h"
#include "shards/snapshot/follower.h"
#include "shards/snapshot/pursuit.h"

namespace partita::shards {

/// Builds new indexes over a collection that is written to meanwhile:
///
///     run()      the documents as they are at one moment; then, in rounds that grow shorter (see Pursuit), those that the
///                log names between that moment and a later one: their old entries go, their new ones come
///     finish()   the last round, with all writers kept out
///
/// After each step the tables hold exactly the entries of the documents at one moment, so that a duplicate in a unique
/// index is one that was there. Entries carry no time, since nobody reads the indexes before they are published; a crash
/// before that leaves tables that no catalog row knows, and one after it has replay build the indexes again.
///
/// One thread. Unless released, the tables are given to the catalog to be removed. Until the end the engine keeps the
/// versions of documents that the build still has to see.
class IndexBuild {
 public:
  /// Asked often; a failure ends the build with that failure.
  using GoOn = Follower::GoOn;
  /// `progress` may be nullptr.
  IndexBuild(Store& store, std::shared_ptr<const Collection> collection,
             const std::vector<std::shared_ptr<const IndexSpec>>& specs, GoOn go_on, BuildProgress* progress);
  ~IndexBuild();

  Status run();
  Status finish();

  struct Built {
    SegmentId segment;
    std::shared_ptr<PartitionIndex> index;
  };
  std::vector<Built> built() const;
  /// The indexes are published: their tables stay.
  void release() { parts_.clear(); }

 private:
  /// What is done in one segment.
  struct Part {
    const PartitionSlot* slot;            ///< One of those in it.
    std::vector<PartitionId> partitions;  ///< All of them.
    std::vector<std::shared_ptr<PartitionIndex>> indexes;
  };
  enum class Pass : std::uint8_t { kRetract, kExtend };

  Status make_tables();
  Result<std::size_t> catch_up();
  Status replace_entries(const Part& part, Pass pass);
  Status replace_entries(const Part& part, const std::set<std::string>& touched, Pass pass);

  Store& store_;
  const std::shared_ptr<const Collection> collection_;
  std::optional<Pursuit> pursuit_;
  const GoOn go_on_;
  BuildProgress own_progress_;  ///< Where nobody wants to know.
  BuildProgress& progress_;
  const std::vector<std::shared_ptr<const IndexSpec>> specs_;
  std::vector<Part> parts_;
  std::optional<Follower> follower_;  ///< The tables stand at what it has seen.
  IndexWriter entries_{IndexWriter::Twins::kTake};
};

/// Fills an empty index over records that nobody writes to: what replay does.
Status fill_index(Store& store, TableId records, const std::shared_ptr<PartitionIndex>& index);

}  // namespace partita::shards
