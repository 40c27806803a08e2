// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "commands/statements.h"
#include "shards/log/key_order.h"

namespace partita::commands {

/// Documents of one command for one collection, each ready to be stored or known to be refused. Many go into one log
/// record and one engine transaction; one that fails is taken out, and the others go in without it.
class Insertion {
 public:
  Insertion(Operation& operation, const shards::Namespace& ns);

  /// Takes a document on, as the statement of this number. Its bytes must outlive the insertion.
  void add(bson::View document, std::int32_t statement);
  /// Stores everything that it can, as far as `ordered` lets it. Fails only with what ends the command.
  Status run(bool ordered);

  std::size_t size() const { return prepared_.size(); }
  std::int32_t inserted() const { return inserted_; }
  /// By place, counted in the order of add().
  const WriteErrors& errors() const { return errors_; }
  const std::vector<std::int32_t>& retried() const { return retried_; }

 private:
  struct Prepared {
    bson::View document;
    std::int32_t statement;
    bool own_id;  ///< It has come with its _id: sent again it has the same one.
    Status refused;
  };
  /// Stores [begin, end) in one unit, or as many as go before one fails; returns where to go on, and adds the error.
  Result<std::size_t> run_unit(std::size_t begin, std::size_t end, bool ordered);
  Status insert_range(shards::WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed);
  Status insert_in_turn(shards::WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed);
  Status insert_together(shards::WriteAttempt& attempt, std::size_t begin, std::size_t end);
  Status enter_all(shards::WriteAttempt& attempt, std::size_t begin, std::size_t end);
  Status insert_one(shards::WriteAttempt& attempt, std::size_t index);
  /// Whether it has been done by an earlier sending. Otherwise it will be noted as done now.
  Result<bool> has_come_before(shards::WriteAttempt& attempt, const shards::PartitionSlot& slot, const Prepared& one);
  Result<bool> is_repeated(shards::WriteAttempt& attempt, const shards::PartitionSlot& noting, const Retryable& statement);
  void add_stored(shards::PartitionId partition, std::int32_t first, std::int32_t last);
  Status note_retries(shards::WriteAttempt& attempt);
  std::size_t unit_end(std::size_t begin) const;
  std::size_t unit_bytes(std::size_t begin, std::size_t end) const;

  Operation& operation_;
  shards::Store& store_;
  const shards::Namespace& ns_;
  const shards::WriteOptions options_;
  std::vector<Prepared> prepared_;
  std::vector<bson::Document> changed_;  ///< What prepared documents point into when they had to be changed.
  bson::Buffer scratch_;
  bson::Buffer key_;
  bool together_ = false;  ///< How the last unit was tried.
  bool in_turn_ = false;   ///< A unit has failed: which document's fault it is shows only when they go in one by one.
  WriteErrors errors_;
  std::int32_t inserted_ = 0;
  std::vector<std::int32_t> retried_;

  /// Statements that this attempt has stored, by partition, as ranges of neighbours.
  struct Stored {
    shards::PartitionId partition;
    std::int32_t first;
    std::int32_t last;
  };
  std::size_t reached_ = 0;  ///< Behind the last document of the unit.
  std::vector<Stored> stored_;
  std::optional<shards::PartitionId> fresh_;  ///< Where the transaction number had done nothing before this attempt.
  std::vector<std::int32_t> repeated_;

  /// Of a unit that goes in together.
  bson::Buffer keys_;
  std::vector<std::size_t> key_ends_;
  std::vector<shards::NewDocument> entered_;
  shards::KeyOrder order_;
};

}  // namespace partita::commands
