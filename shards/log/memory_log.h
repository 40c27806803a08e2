// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <string>

#include "shards/log/fence.h"
#include "shards/log/log.h"
#include "shards/log/virtual_time.h"

namespace partita::shards {

/// What keeps a simulated log's records: an engine that puts whatever is sent behind what it has, and fences nobody.
class MemoryTopic {
 public:
  using Offset = std::uint64_t;

  Offset append(std::vector<std::uint8_t> record) {
    records_.push_back(std::move(record));
    return records_.size() - 1;
  }
  Offset end() const { return records_.size(); }
  Bytes at(Offset offset) const { return records_[offset]; }

  /// Forgets everything before the offset, where `fence` stands and the last valid record's hash was `hash`. (The bytes
  /// stay: a test looks at all that has ever been written.)
  void truncate(Offset begin, Fence fence, std::uint64_t hash) {
    begin_ = begin;
    fence_ = fence;
    hash_ = hash;
  }
  Offset begin() const { return begin_; }
  Fence fence_at_begin() const { return fence_; }
  std::uint64_t hash_at_begin() const { return hash_; }

 private:
  std::deque<std::vector<std::uint8_t>> records_;
  Offset begin_ = 0;
  Fence fence_;
  std::uint64_t hash_ = 0;
};

/// What goes wrong between a node and the engine, and how often.
struct MemoryFaults {
  std::int64_t latency_us = 500;        ///< Each way takes up to so long.
  std::int64_t late_us = 200'000;       ///< A late acknowledgement takes up to so long.
  std::int64_t timeout_us = 50'000;     ///< How long the writer waits before it asks the log itself.
  double lose_append = 0;               ///< The record never arrives.
  double lose_acknowledgement = 0;      ///< It arrives, and the writer never hears of it.
  double delay_acknowledgement = 0;
  double duplicate_append = 0;          ///< The engine puts it twice, as a sender does that repeats itself.
};

/// One node's end of a log that several nodes write to: places records under the node's epoch, fences, and gives every
/// append a definite answer, however little the engine has answered. The engine acknowledges with an offset; when it is the
/// one behind the last record known, nobody else has written in between, and the record counts. When there is a gap the
/// records in it are read. When the answer does not come, or the record turns out void, the node takes its own log over
/// with the next epoch and reads up to there: every record in flight is then before that point, or void for ever.
/// One thread; time and chance are the simulation's. Destroyed in the middle of everything it is a crash: nobody is called
/// any more, and what was sent arrives nevertheless.
class MemoryLog final : public PartitionLog {
 public:
  MemoryLog(MemoryTopic& topic, LogId id, VirtualTime& time, HybridClock& clock, const MemoryFaults& faults);

  void append(Append& append) override;
  void settled(const Position&, bool) override {}  // Acknowledged is decided: there is nothing to make void.
  void acquire(Takeover& takeover) override;
  /// Every record behind the valid one before `from`, void ones too: the reader has a fence.
  Result<std::unique_ptr<LogTail>> tail(Sequence from) override;
  Status truncate(Sequence before) override;
  Sequence end() const override { return last_ + 1; }
  std::uint64_t appended_bytes() const override { return appended_; }
  std::uint64_t appended_operations() const override { return operations_; }

  bool leads() const { return role_ == Role::kLeader; }
  /// Leads, or is about to: has not heard of anybody else since it took the log over.
  bool contends() const { return role_ != Role::kFollower; }
  Epoch epoch() const { return epoch_; }
  /// How often it has taken its own log over to learn what became of a record.
  std::uint64_t barriers() const { return barriers_; }

 private:
  using Offset = MemoryTopic::Offset;
  enum class Role : std::uint8_t { kFollower, kTaking, kLeader };
  struct Flight {
    Append* append;
    std::uint64_t hash;
  };

  void send(Bytes record, std::uint64_t flight);
  void deliver_acknowledgement(Offset offset, std::uint64_t flight);
  void acknowledged(Offset offset, std::uint64_t flight);
  void timed_out(std::uint64_t flight);
  void barrier();
  void send_epoch_record();
  void read_to(Offset end);
  void admitted(const RecordHeader& header, std::uint64_t hash, bool own_epoch_record);
  void lead(const RecordHeader& header, std::uint64_t hash);
  void step_down();
  void answer_takeover(Status status);
  void lose_flights();
  bool is_own_epoch_record(Bytes record) const;
  /// A leader's flights are the last that it sent.
  bool in_flight(std::uint64_t flight) const { return flight + flights_.size() > sent_; }

  MemoryTopic& topic_;
  const LogId id_;
  VirtualTime& time_;
  HybridClock& clock_;
  const MemoryFaults& faults_;
  /// Events reach the log through this: gone with it.
  std::shared_ptr<MemoryLog*> self_ = std::make_shared<MemoryLog*>(this);

  Role role_ = Role::kFollower;
  std::string node_;
  Takeover* takeover_ = nullptr;
  Epoch epoch_ = 0;
  Sequence last_ = 0;                ///< The last sequence number given out.
  std::uint64_t previous_hash_ = 0;  ///< Of that record.
  Fence fence_;                      ///< Stands before read_.
  Offset read_ = 0;
  std::deque<Flight> flights_;       ///< In the order of their sequence numbers.
  std::uint64_t sent_ = 0;           ///< Counts records sent; a flight is known by its number.
  std::uint64_t waiting_for_ = 0;    ///< The epoch record's number while taking over.
  std::int64_t last_delivery_us_ = 0;
  std::uint64_t appended_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t barriers_ = 0;
};

}  // namespace partita::shards
