// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/find_run.h"

namespace partita::commands {

/// A find that stays at the end of a capped collection, and goes on when more comes: a tailable cursor. It keeps the number
/// of the last document that it has looked at, and nothing of the engine.
class TailExecution final : public FindRun {
 public:
  /// `awaits`: who asks for more waits for it.
  TailExecution(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query, bool awaits);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  bool exhausted() const override { return false; }
  shards::Tail* awaited() const override { return awaits_ ? &collection_->partitions.front().partition->tail() : nullptr; }
  bool tailable() const override { return true; }
  std::size_t memory() const override { return held_memory(); }
  std::int64_t keys_examined() const override { return 0; }
  std::int64_t documents_examined() const override { return examined_; }
  std::int64_t matched() const override { return matched_; }
  bool scanned_to_the_end() const override { return false; }

 private:
  Status fill_from(Operation& operation, shards::CollectionScan& scan, BatchFill& fill);
  Status find_place(shards::CollectionScan& scan);
  const shards::ScanOrder& order() const override { return order_; }

  shards::Store& store_;
  const std::shared_ptr<const shards::Collection> collection_;
  const bool awaits_;
  const shards::ScanOrder order_;  ///< Everything, as it has come.
  std::string last_;               ///< The key of the document that was looked at last; empty: none yet.
  std::int64_t examined_ = 0;
  std::int64_t matched_ = 0;
  query::MatchState match_state_;
};

}  // namespace partita::commands
