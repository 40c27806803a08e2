// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/memory_log.h"

#include <algorithm>
#include <cassert>

namespace partita::shards {
namespace {

Status lost() { return error(Code::NotWritablePrimary, "the log has a newer sequencer"); }

class MemoryTail final : public LogTail {
 public:
  MemoryTail(const MemoryTopic& topic, MemoryTopic::Offset from) : topic_(topic), next_(from) {}

  Result<std::optional<Bytes>> next() override {
    if (next_ < topic_.begin()) return error(Code::SnapshotTooOld, "the log no longer holds what is asked for");
    if (next_ == topic_.end()) return std::optional<Bytes>();
    return std::optional<Bytes>(topic_.at(next_++));
  }

 private:
  const MemoryTopic& topic_;
  MemoryTopic::Offset next_;
};

/// The offset behind the valid record with that number, and what a reader knows there.
struct TopicPlace {
  MemoryTopic::Offset offset;
  Fence fence;
  std::uint64_t hash;
};
Result<TopicPlace> place_behind(const MemoryTopic& topic, Sequence sequence) {
  TopicPlace place{topic.begin(), topic.fence_at_begin(), topic.hash_at_begin()};
  if (place.fence.last() > sequence) return error(Code::SnapshotTooOld, "the log begins behind record ", sequence);
  for (; place.fence.last() < sequence && place.offset < topic.end(); ++place.offset) {
    TRY(const RecordHeader header, read_header(topic.at(place.offset)));
    if (place.fence.admit(header)) place.hash = record_hash(topic.at(place.offset));
  }
  return place;
}

}  // namespace

MemoryLog::MemoryLog(MemoryTopic& topic, LogId id, VirtualTime& time, HybridClock& clock, const MemoryFaults& faults)
    : topic_(topic), id_(id), time_(time), clock_(clock), faults_(faults), fence_(topic.fence_at_begin()), read_(topic.begin()) {}

void MemoryLog::append(Append& append) {
  if (role_ != Role::kLeader || append.epoch != epoch_) {
    append.status = lost();
    append.acknowledged(append);
    return;
  }
  append.position = {id_, epoch_, ++last_, clock_.tick(), 0};
  const Time time = append.position.commit_time;
  // One sequencer gives out rising times: what comes behind this record is later.
  const Bytes record = append.record->finish(epoch_, last_, time, time, previous_hash_);
  previous_hash_ = record_hash(record);
  appended_ += record.size();
  operations_ += append.record->operations();
  flights_.push_back({&append, previous_hash_});
  send(record, ++sent_);
}

/// Records arrive in the order in which they were sent, as over one connection; acknowledgements in any.
void MemoryLog::send(Bytes record, std::uint64_t flight) {
  const std::weak_ptr<MemoryLog*> log = self_;
  time_.after(faults_.timeout_us, [log, flight] {
    if (const auto self = log.lock()) (*self)->timed_out(flight);
  });
  if (time_.chance(faults_.lose_append)) return;
  const std::int64_t arrives = std::max(last_delivery_us_, time_.now_us() + time_.between(1, faults_.latency_us));
  last_delivery_us_ = arrives;
  const bool twice = time_.chance(faults_.duplicate_append);
  std::vector<std::uint8_t> bytes(record.begin(), record.end());
  time_.after(arrives - time_.now_us(), [topic = &topic_, log, flight, twice, bytes = std::move(bytes)] {
    const Offset offset = topic->append(bytes);
    if (twice) topic->append(bytes);
    if (const auto self = log.lock()) (*self)->deliver_acknowledgement(offset, flight);
  });
}

void MemoryLog::deliver_acknowledgement(Offset offset, std::uint64_t flight) {
  if (time_.chance(faults_.lose_acknowledgement)) return;
  const bool late = time_.chance(faults_.delay_acknowledgement);
  const std::weak_ptr<MemoryLog*> log = self_;
  time_.after(time_.between(1, late ? faults_.late_us : faults_.latency_us), [log, offset, flight] {
    if (const auto self = log.lock()) (*self)->acknowledged(offset, flight);
  });
}

void MemoryLog::acknowledged(Offset offset, std::uint64_t flight) {
  if (offset < read_) return;  // Read already, behind a later acknowledgement or a barrier.
  if (role_ == Role::kLeader && offset == read_ && flight + flights_.size() == sent_ + 1) {
    // The oldest in flight, right behind what is known: it counts, without being read.
    const Position& position = flights_.front().append->position;
    RecordHeader header;
    header.epoch = position.epoch;
    header.sequence = position.sequence;
    ++read_;
    [[maybe_unused]] const bool valid = fence_.admit(header);
    assert(valid && "the record behind the last one known, by its only writer");
    return admitted(header, flights_.front().hash, false);
  }
  const bool led = role_ == Role::kLeader;
  read_to(offset + 1);
  // Our record lies there and is void: one before it was lost on the way, and all behind it are void too.
  if (led && role_ == Role::kLeader && in_flight(flight)) barrier();
}

void MemoryLog::timed_out(std::uint64_t flight) {
  if (role_ == Role::kTaking) {
    if (flight != waiting_for_) return;
    read_to(topic_.end());
    if (role_ == Role::kTaking) send_epoch_record();
  } else if (role_ == Role::kLeader && in_flight(flight)) {
    barrier();
  }
}

void MemoryLog::barrier() {
  ++barriers_;
  role_ = Role::kTaking;
  send_epoch_record();
}

void MemoryLog::acquire(Takeover& takeover) {
  // One that has not written for a while may have been deposed without knowing.
  read_to(topic_.end());
  if (role_ == Role::kLeader) {
    takeover.epoch = epoch_;
    takeover.done(takeover);
    return;
  }
  takeover_ = &takeover;
  node_ = takeover.node;
  role_ = Role::kTaking;
  send_epoch_record();
}

void MemoryLog::send_epoch_record() {
  RecordWriter record;
  record.begin(RecordKind::kEpoch, id_);
  record.add(epoch_operation(node_));
  const Time time = clock_.tick();
  waiting_for_ = ++sent_;
  send(record.finish(fence_.epoch() + 1, fence_.last() + 1, time, 0), waiting_for_);
}

bool MemoryLog::is_own_epoch_record(Bytes record) const {
  Result<RecordReader> reader = RecordReader::open(record);
  if (!reader.ok()) return false;
  const Result<std::optional<Operation>> operation = reader->next();
  return operation.ok() && *operation && std::ranges::equal((*operation)->key, epoch_operation(node_).key);
}

void MemoryLog::read_to(Offset end) {
  while (read_ < end) {
    const Bytes record = topic_.at(read_++);
    const Result<RecordHeader> header = read_header(record);
    if (!header.ok() || !fence_.admit(*header)) continue;
    clock_.observe(header->commit_time);
    const bool own = header->kind == RecordKind::kEpoch && role_ == Role::kTaking && is_own_epoch_record(record);
    admitted(*header, record_hash(record), own);
  }
}

/// A valid record has been met. Of data records only our own matter here; an epoch record decides who leads.
void MemoryLog::admitted(const RecordHeader& header, std::uint64_t hash, bool own_epoch_record) {
  if (own_epoch_record) return lead(header, hash);
  if (header.kind == RecordKind::kEpoch) return step_down();
  if (flights_.empty() || role_ == Role::kFollower || header.epoch != epoch_) return;
  Append& append = *flights_.front().append;
  assert(append.position.sequence == header.sequence && flights_.front().hash == hash);
  flights_.pop_front();
  append.acknowledged(append);
}

void MemoryLog::lead(const RecordHeader& header, std::uint64_t hash) {
  role_ = Role::kLeader;
  epoch_ = header.epoch;
  last_ = fence_.last();
  previous_hash_ = hash;
  lose_flights();
  answer_takeover({});
}

void MemoryLog::step_down() {
  if (role_ == Role::kFollower) return;
  role_ = Role::kFollower;
  lose_flights();
  answer_takeover(lost());
}

void MemoryLog::answer_takeover(Status status) {
  Takeover* takeover = std::exchange(takeover_, nullptr);
  if (takeover == nullptr) return;
  takeover->epoch = epoch_;
  takeover->status = std::move(status);
  takeover->done(*takeover);
}

/// What was in flight when an epoch ended and has not been met before that point is void for ever.
void MemoryLog::lose_flights() {
  std::deque<Flight> flights;
  flights.swap(flights_);
  for (const Flight& flight : flights) {
    flight.append->status = lost();
    flight.append->acknowledged(*flight.append);
  }
}

Result<std::unique_ptr<LogTail>> MemoryLog::tail(Sequence from) {
  TRY(const TopicPlace place, place_behind(topic_, from - 1));
  return std::unique_ptr<LogTail>(new MemoryTail(topic_, place.offset));
}

Status MemoryLog::truncate(Sequence before) {
  TRY(const TopicPlace place, place_behind(topic_, before - 1));
  topic_.truncate(place.offset, place.fence, place.hash);
  return {};
}

}  // namespace partita::shards
