// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/sort/loser_tree.h"
#include "shards/router/partition_scan.h"

namespace partita::shards {

/// Several walks over one partition, or one segment, in turns: each is in the order of its `fields`, and so are their rows
/// together. What one of them has not been asked for is not read. As a PartitionScan it belongs to a transaction, and stands
/// as bytes between two of them.
class MergedScan {
 public:
  /// The order, its branches and what is asked whether to go on must outlive the scan.
  static Result<std::unique_ptr<MergedScan>> open(Session& session, const PartitionSlot& slot, const ScanOrder& order,
                                                  const ScanLegs::Share& share, const std::function<Status()>* interrupted);

  /// The walk whose row is the next one; null behind the last.
  Result<PartitionScan*> next();
  /// What grows from row to row, whichever tables the rows lie in, but for the record key behind it.
  void append_key(bson::Buffer& out) const;

  /// Stands on a row.
  bool started() const { return started_; }
  /// All walks with where each of them stands.
  std::string position() const;
  bool multikey() const;
  std::int64_t keys_examined() const { return sum(&PartitionScan::keys_examined); }
  std::int64_t documents_examined() const { return sum(&PartitionScan::documents_examined); }
  std::size_t walks() const { return turns_.size(); }
  query::WalkFigures figures(std::size_t walk) const { return turns_[walk].scan.figures(); }

 private:
  struct Turn {
    PartitionScan scan;
    const ScanOrder* order;
    std::string behind;  ///< The key up to which its rows have been shown.
    bson::Buffer key = {};  ///< Of the row that it stands on, as far as the order reaches.
  };

  MergedScan() : tree_(0) {}
  Result<bool> advance(Turn& turn);
  std::int64_t sum(std::int64_t (PartitionScan::*figure)() const) const;

  std::vector<Turn> turns_;
  query::LoserTree tree_;
  bool built_ = false;
  bool started_ = false;
};

}  // namespace partita::shards
