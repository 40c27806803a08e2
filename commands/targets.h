// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/operation.h"
#include "query/match/matcher.h"
#include "shards/router/collection_scan.h"
#include "shards/router/walk_bound.h"

/// Which documents a write by filter is about.
namespace partita::commands {

/// What is left of a walk over a collection that gets another order in the middle, and perhaps more than once: of each order
/// that it has been walked through, the documents that the walk had not come to. Which these are each tells by itself, by its
/// key in that order, wherever it lies now; so no document is met again, unless another writer changes that key.
class Remainder {
 public:
  /// Everything up to this record key has been met.
  void leave_behind(std::shared_ptr<const shards::Collection> order, std::string key);
  /// All had been found, and these have not been met.
  void leave_only(std::shared_ptr<const shards::Collection> order, std::vector<std::string> keys);

  /// QueryPlanKilled where a document has no place in an order of before, and so cannot be known.
  Result<bool> holds(bson::View document) const;

 private:
  struct Part {
    std::shared_ptr<const shards::Collection> order;
    std::string behind;
    std::vector<std::string> keys;  ///< Ascending; if there are any, these alone.
  };
  std::vector<Part> parts_;
  mutable bson::Buffer key_;
};

/// The record keys of the documents that match a filter, found batch by batch. Each is looked at again when it is
/// written, for it may have changed since.
class Targets {
 public:
  /// With a remainder only those that belong to it.
  Targets(Operation& operation, std::shared_ptr<const shards::Collection> collection, const query::Matcher& matcher,
          shards::ScanOrder order, const Remainder* remainder = nullptr);
  /// Tells the operation what it has looked at.
  ~Targets();
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;

  /// Before the first: who is told how it goes; null: nobody.
  void watch(shards::WalkBound* bound) { bound_ = bound; }
  /// The next keys, at most `most` of them; none at the end.
  Result<std::vector<std::string>> next(std::size_t most);

 private:
  Result<bool> next_match(bson::View& document);
  Status report() { return report_.tell(bound_, scan_.keys_examined(), matched_); }

  Operation& operation_;
  const query::Matcher& matcher_;
  const Remainder* remainder_;
  shards::CollectionScan scan_;
  query::MatchState state_;
  int rows_ = 0;
  std::int64_t matched_ = 0;
  shards::WalkBound* bound_ = nullptr;
  shards::WalkReport report_;
};

}  // namespace partita::commands
