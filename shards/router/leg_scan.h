// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>

#include "query/interrupt.h"
#include "query/match/matcher.h"
#include "query/path/field_gather.h"
#include "query/stages/batch.h"
#include "query/stages/stage.h"
#include "shards/router/collection_scan.h"
#include "shards/router/leg_spans.h"
#include "shards/router/walk_bound.h"

namespace partita::shards {

/// What all legs of a query are told while it works on one batch of its answer.
struct LegControl {
  std::shared_ptr<const Collection> collection;  ///< The map, the same for all; null: each leg looks by itself.
  Time time = 0;                                 ///< The moment, the same for all and pinned; 0: of now.
  /// Asked every few hundred rows, by whichever thread is at work: fails when the query shall end.
  std::function<Status()> interrupted;
  std::atomic<bool> ended{false};  ///< The query has all that it wants, or has failed.
  WalkBound* bound = nullptr;      ///< Is told how it goes; null: nobody wants to know.

  Status check() const {
    if (ended.load(std::memory_order_relaxed)) return error(Code::Interrupted, "the query has ended");
    return interrupted ? interrupted() : Status();
  }
};

/// For what takes long over one row, in one thread at work on a leg.
class LegInterrupt : public query::Interrupt {
 public:
  explicit LegInterrupt(const LegControl& control) : control_(control) {}

 private:
  Status check() override { return control_.check(); }
  const LegControl& control_;
};

/// What the legs of one query do with the rows that they walk over. Outlives them.
struct LegWork {
  /// By which bytes rows are told apart and put in order behind the scan.
  enum class Key : std::uint8_t {
    kRecord,  ///< The record key.
    kWalk,    ///< What grows along the walk: the key in the index, then the record key; complemented when it is backward.
  };
  const query::Matcher* filter = nullptr;  ///< Null: all rows pass.
  std::optional<query::FieldGather> fields = {};  ///< Those that are needed; nullopt: all.
  Key key = Key::kRecord;
  std::uint64_t limit = 0;  ///< Rows that a leg hands on at most; 0: all.
  bool keys_alone = false;  ///< Nobody looks at the rows: they are counted. There is no filter then.

  static std::optional<query::FieldGather> gather(const std::optional<query::FieldSet>& fields);
};

/// Feeds a query from one leg of its walk, or from all of it. Batches hold copies, for the engine's pages move on under
/// them. One thread at a time, not always the same.
class LegScan final : public query::RecordSource {
 public:
  LegScan(Store& store, std::shared_ptr<const Collection> collection, const ScanOrder& order, const LegSpan& leg,
          const LegWork& work, const LegControl& control);
  /// Over everything that the order asks for.
  LegScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order, const LegWork& work,
          const LegControl& control);

  /// Keeps what lies in the first of the segments that its rows are in now, and returns the others, each a leg by itself:
  /// each table is in the order of its keys, and several one behind the other are not. Between batches only.
  std::vector<std::unique_ptr<LegScan>> part(const Collection& now);

  /// How much the next batch may hold. It is cut short when `pause` becomes true, and may then be empty before the end; and
  /// when it has rows and the next one is not found soon.
  struct Allowance {
    std::size_t rows = 16;
    std::size_t bytes = query::Batch::kBytes;
    const std::atomic<bool>* pause = nullptr;
  };
  void allow(const Allowance& allowance) { allowance_ = allowance; }
  /// Lets go of the engine behind every batch; else only when told to suspend().
  void rest_between_batches() { rests_ = true; }

  Status pull(query::Batch& out) override;
  Status drain(query::RowSink& sink) override;
  void suspend();

  bool exhausted() const { return !failed_ && (scan_.exhausted() || done()); }
  const CollectionScan& scan() const { return scan_; }
  std::int64_t matched() const { return static_cast<std::int64_t>(matched_); }
  /// That of the last failure of the walk itself; nullopt where none of it failed.
  const std::optional<PartitionId>& failed_partition() const { return failed_partition_; }

 private:
  LegScan(const LegScan& whole, ScanLegs legs);
  Status resume();
  Status gather(query::Batch& out);
  Status show_all(query::RowSink& sink);
  /// Moves to the next row that the filter lets pass. False at the end, and with `paused_` when it has been told to pause.
  Result<bool> next(bson::View& document);
  Result<bool> move(bson::View& document);
  Status name_partition(Status status);
  Status report() { return report_.tell(control_.bound, scan_.keys_examined(), matched()); }
  Status check() {
    CHECK_OK(report());
    return control_.check();
  }
  Bytes key();
  bool done() const { return work_.limit != 0 && matched_ >= work_.limit; }
  bool told_to_pause() const {
    return (allowance_.pause != nullptr && allowance_.pause->load(std::memory_order_relaxed)) || is_late();
  }
  bool is_late() const { return hand_on_at_ != kNever && Clock::now() >= hand_on_at_; }

  CollectionScan scan_;
  const LegWork& work_;
  const LegControl& control_;
  Allowance allowance_;
  bool rests_ = false;
  bool resumed_ = false;
  bool paused_ = false;
  bool failed_ = false;  ///< Behind the rows of the last batch.
  Status failure_;
  std::optional<PartitionId> failed_partition_;
  query::MatchState state_;
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();
  Clock::time_point hand_on_at_ = kNever;  ///< When the rows that a batch has are kept back no longer; kNever while it has none.
  std::uint64_t looked_ = 0;
  std::uint64_t matched_ = 0;
  WalkReport report_;
  bson::Buffer key_;
};

}  // namespace partita::shards
