// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

#include "query/sort/loser_tree.h"
#include "shards/router/crew.h"
#include "shards/router/leg_scan.h"

namespace partita::shards {

/// One leg of a query.
struct Leg {
  std::unique_ptr<LegScan> scan;
  LegSpan span;
};

/// How legs are read.
struct FanOutManner {
  /// Else one leg after the other. The keys of the rows tell the order, and equal ones go by the legs'.
  bool merges = false;
  /// Legs see all of their rows before they hand on the first: there is nothing to be gained by pausing.
  bool gathers = false;
  /// Rows of a batch lie in its arena, or elsewhere for as long as the leg lives. Else they are copied.
  bool rows_stay = false;
  std::int64_t degree = -1;    ///< Threads at once; 0 and 1: the caller alone; -1: as many as there are processors for.
  std::int64_t buffered = -1;  ///< Rows that may lie ready at most, all legs together; -1: a few megabytes.
  std::int64_t rows = 0;       ///< That will be looked at for certain; see crew_size().
  bool partial = false;        ///< A partition that cannot be read is left out and named.
  /// Opens the stages that run on a leg; empty: there are none.
  std::function<query::Source(query::Source scan)> stages = {};
};

/// What one leg has done, for explain.
struct LegFigures {
  std::int64_t keys = 0;
  std::int64_t documents = 0;
  std::int64_t matched = 0;   ///< Rows that the walk has shown to the stages of the leg, where it has any.
  std::int64_t returned = 0;  ///< Rows that the leg has handed on.
  std::chrono::nanoseconds time{0};

  LegFigures& operator+=(const LegFigures& other) {
    keys += other.keys;
    documents += other.documents;
    matched += other.matched;
    returned += other.returned;
    time += other.time;
    return *this;
  }
};

/// Reads the legs of a query side by side and hands on their rows as one stream, the same one whatever the number of
/// threads: one leg after the other in their order, or merged by the rows' keys.
///
///     fan_out.begin(pool, ...);      the client wants a batch
///     while (...) fan_out.pull(rows);
///     fan_out.rest();                threads have left, nothing of the engine is held; legs stand as keys
///
/// Who is asked for a row works for it. A leg runs in one thread at a time, a batch at a time, and helpers take legs that
/// nobody works on, those that come first in the order first. They run ahead of the reader by a bounded number of rows.
/// begin(), pull() and rest() are the caller's, one thread at a time.
class FanOut final : public query::RecordSource {
 public:
  FanOut(std::vector<Leg> legs, const FanOutManner& manner, LegControl& control);
  ~FanOut() override;

  /// `interrupted` is asked by all threads of the query until rest().
  void begin(wire::WorkerPool* pool, std::function<Status()> interrupted);
  Status pull(query::Batch& out) override;
  /// Waits for helpers, which pause within some hundred rows. Legs go on at the next begin().
  void rest();
  /// The same when no more rows are wanted: what legs have in hand is given up.
  void end();

  std::size_t legs() const { return seats_.size(); }
  const LegSpan& span(std::size_t leg) const { return seats_[leg].span; }
  /// While nobody is at work.
  LegFigures figures(std::size_t leg) const;
  std::vector<query::WalkFigures> branches(std::size_t leg) const { return seats_[leg].scan->scan().branches(); }
  bool scanned_to_the_end() const;
  /// Threads that have worked at once.
  unsigned threads() const { return threads_; }
  /// Partitions that were left out, with why.
  struct Failure {
    PartitionId partition{0};
    Status why;
  };
  const std::vector<Failure>& failures() const { return failures_; }
  /// Bytes that lie ready, and what the legs take by themselves: with thousands of partitions that is most of it.
  std::size_t memory() const { return bytes_ + seats_.size() * kLegBytes; }
  /// Rows that have lain ready at once, at most.
  std::size_t most_buffered() const { return most_rows_; }

 private:
  using BatchPointer = std::unique_ptr<query::Batch>;
  struct Ready {
    BatchPointer batch;
    std::size_t bytes = 0;
  };
  /// A batch in the caller's hands counts as ready until its last row is done with.
  struct Taken {
    std::size_t leg = 0;
    BatchPointer batch;
    std::size_t rows = 0;
    std::size_t at = 0;
  };
  struct Seat {
    query::Source stream;      ///< The last of the leg's stages; owns the scan below.
    LegScan* scan = nullptr;
    LegSpan span;
    std::deque<Ready> ready;
    std::size_t rows = 0;   ///< Ready, or allowed to a run that is under way.
    std::size_t bytes = 0;
    std::size_t next_rows = 16;  ///< Of its next batch: grows, for little may be wanted.
    bool running = false;
    bool ended = false;     ///< No more runs.
    Status failure;         ///< Behind what is ready.
    LegFigures figures;
  };
  static constexpr std::size_t kLegBytes = sizeof(Seat) + sizeof(LegScan) + (1 << 10);  ///< With what these point to.
  using Lock = std::unique_lock<std::mutex>;

  void add(Leg leg);
  void part_legs();
  void help();
  std::optional<std::size_t> claimable() const;
  std::size_t room(std::size_t leg) const;
  std::size_t room_in_turn(std::size_t leg) const;
  void run(Lock& lock, std::size_t leg, std::size_t rows, const std::atomic<bool>* pause);
  void publish(Seat& seat, Status status, Ready made, bool cut_short);
  std::size_t settle(query::Batch& batch) const;
  /// The next batch of a leg, waited or worked for; nothing at its end.
  Result<BatchPointer> take(std::size_t leg);
  Result<BatchPointer> finish_leg(Seat& seat);
  Status wait(Lock& lock);
  BatchPointer spare();
  /// Rows of a batch that was taken are looked at no more.
  void forget(Taken& taken);
  Status pull_in_turn(query::Batch& out);
  Status pull_merged(query::Batch& out);
  Status refill(std::size_t leg);
  void leave();

  const FanOutManner manner_;
  const std::size_t cap_;
  std::uint64_t version_ = 0;  ///< Of the map by which legs were last parted.
  LegControl& control_;
  std::vector<Seat> seats_;
  std::unique_ptr<Crew> crew_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;   ///< Something is ready, or has ended.
  std::atomic<bool> resting_{true};
  std::atomic<bool> answered_{false};  ///< What the caller waits for has come: it leaves what it does meanwhile.
  std::size_t wanted_ = 0;             ///< The leg that the caller wants.
  std::size_t first_ = 0;              ///< All legs before it have ended.
  std::size_t rows_ = 0;               ///< Of all seats.
  std::size_t bytes_ = 0;
  std::size_t most_rows_ = 0;
  unsigned running_ = 0;
  unsigned threads_ = 0;
  std::vector<BatchPointer> spare_;
  std::vector<Failure> failures_;

  // The caller's.
  std::size_t front_ = 0;              ///< Of legs that are read in turn.
  Taken handed_;                       ///< Its rows, while they are looked at.
  std::optional<query::LoserTree> tree_;
  std::vector<Taken> heads_;           ///< Of a merge, by leg.
  bool outgrown_ = false;              ///< There are more legs than the tree has sources.
  bool used_up_ = false;               ///< The last row of the winner's head has been handed on.
  std::size_t merged_rows_ = 16;       ///< Of the next batch.
};

}  // namespace partita::shards
