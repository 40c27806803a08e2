// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/insertion.h"

#include <algorithm>
#include <utility>

#include "commands/config_views.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

using shards::WriteAttempt;

/// One log record and one engine transaction for so many documents, or bytes, at most.
constexpr std::size_t kMaxInUnit = 1000;
constexpr std::size_t kMaxUnitBytes = 4 << 20;
/// Fewer are inserted one after the other.
constexpr std::size_t kFewestTogether = 32;
/// From here on a unit is a large write.
constexpr std::size_t kLargeUnitBytes = 128 << 10;

/// A turn at writing much, from when it is taken on.
class LargeWrite {
 public:
  static Result<LargeWrite> take(Operation& operation) {
    constexpr std::chrono::milliseconds kLook(20);
    auto& turns = operation.server().large_writes;
    while (!turns.try_acquire_for(kLook)) CHECK_OK(operation.check_interrupt());
    return LargeWrite(turns);
  }
  LargeWrite(LargeWrite&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
  LargeWrite& operator=(LargeWrite&&) = delete;
  ~LargeWrite() {
    if (turns_ != nullptr) turns_->release();
  }

 private:
  explicit LargeWrite(std::counting_semaphore<>& turns) : turns_(&turns) {}
  std::counting_semaphore<>* turns_;
};

/// What stands is not done again, nor waited for: a unit ends where a partition is closed, or somebody waits to close one, or
/// will in a moment.
bool ends_here(const WriteAttempt& attempt, std::size_t done) {
  constexpr std::size_t kLook = 16;
  constexpr std::size_t kShort = 64;  ///< What takes so little that the next one to close a gate may wait for it.
  return done > 0 && done % kLook == 0 && (attempt.is_awaited() || (done >= kShort && attempt.is_announced()));
}

}  // namespace

Insertion::Insertion(Operation& operation, const shards::Namespace& ns)
    : operation_(operation), store_(operation.server().store), ns_(ns), options_(write_options(operation, true)) {}

void Insertion::add(bson::View document, std::int32_t statement) {
  const bool own_id = document.has("_id");
  Result<bson::View> ready = prepare_for_insert(document, store_, scratch_);
  if (!ready.ok()) {
    prepared_.push_back({document, statement, own_id, std::move(ready).status()});
  } else if (ready->data() == document.data()) {
    prepared_.push_back({document, statement, own_id, {}});
  } else {
    changed_.push_back(bson::Document(std::exchange(scratch_, bson::Buffer())));
    prepared_.push_back({changed_.back().view(), statement, own_id, {}});
  }
}

std::size_t Insertion::unit_end(std::size_t begin) const {
  std::size_t end = begin;
  std::size_t bytes = 0;
  while (end < prepared_.size() && end - begin < kMaxInUnit && prepared_[end].refused.ok()) {
    bytes += prepared_[end].document.size();
    if (bytes > kMaxUnitBytes && end > begin) break;
    ++end;
  }
  return end;
}

std::size_t Insertion::unit_bytes(std::size_t begin, std::size_t end) const {
  std::size_t bytes = 0;
  for (std::size_t i = begin; i < end; ++i) bytes += prepared_[i].document.size();
  return bytes;
}

Status Insertion::run(bool ordered) {
  CHECK_OK(check_no_config_view(ns_));
  for (std::size_t at = 0; at < prepared_.size();) {
    if (!prepared_[at].refused.ok()) {
      errors_.add(at, prepared_[at].refused);
      ++at;
    } else {
      TRY(at, run_unit(at, unit_end(at), ordered));
    }
    if (ordered && !errors_.empty()) return {};
  }
  return {};
}

Result<std::size_t> Insertion::run_unit(std::size_t begin, std::size_t end, bool ordered) {
  std::size_t failed = begin;  // For what fails before any document is looked at.
  const auto attempt_range = [&](WriteAttempt& attempt) { return insert_range(attempt, begin, end, failed); };
  std::optional<LargeWrite> turn;
  if (operation_.on_worker() && unit_bytes(begin, end) >= kLargeUnitBytes) {
    TRY(LargeWrite taken, LargeWrite::take(operation_));
    turn.emplace(std::move(taken));
  }
  Status status = shards::write(store_, ns_, options_, attempt_range);
  turn.reset();
  if (!status.ok() && ends_command(status.code())) return status;
  if (status.code() == Code::OutOfDiskSpace || status.code() == Code::TooManyFilesOpen) {
    // No document's fault: it is not asked which one is.
    const std::size_t refused = ordered ? begin + 1 : end;
    for (std::size_t i = begin; i < refused; ++i) errors_.add(i, status);
    return refused;
  }
  if (!status.ok() && std::exchange(together_, false)) {  // Once: a write may fail before it has come to any document.
    in_turn_ = true;
    return run_unit(begin, end, ordered);
  }
  if (!status.ok()) {
    // One document stood in the way and the whole unit was undone: those before it go in now, without it.
    const std::size_t culprit = std::min(failed, end - 1);
    if (culprit > begin) {
      TRY(const std::size_t reached, run_unit(begin, culprit, ordered));
      if (reached < culprit) return reached;  // Another one failed now: its error has been added.
    }
    errors_.add(culprit, std::move(status));
    return culprit + 1;
  }
  inserted_ += static_cast<std::int32_t>(reached_ - begin);
  retried_.insert(retried_.end(), repeated_.begin(), repeated_.end());
  return reached_;
}

Status Insertion::insert_range(WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed) {
  stored_.clear();
  repeated_.clear();
  fresh_.reset();
  together_ = !in_turn_ && end - begin >= kFewestTogether && !attempt.collection().capped;
  CHECK_OK(together_ ? insert_together(attempt, begin, end) : insert_in_turn(attempt, begin, end, failed));
  return note_retries(attempt);
}

Status Insertion::insert_in_turn(WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed) {
  for (reached_ = begin; reached_ < end; ++reached_) {
    if (ends_here(attempt, reached_ - begin)) break;
    failed = reached_;
    Status status = insert_one(attempt, reached_);
    if (status.code() == Code::StaleConfig && reached_ > begin) break;
    CHECK_OK(std::move(status));
  }
  failed = reached_ - 1;
  return {};
}

/// Into the tables in the order of their keys, which is a tenth of the server's work for a large batch whose keys are hashes.
/// Fails as a whole.
Status Insertion::insert_together(WriteAttempt& attempt, std::size_t begin, std::size_t end) {
  CHECK_OK(enter_all(attempt, begin, end));
  const std::span<const std::uint32_t> order = order_.of(entered_);
  for (const std::uint32_t place : order) {
    const shards::NewDocument& one = entered_[place];
    CHECK_OK(attempt.validate(one.document));
    TRY(const bool repeated, has_come_before(attempt, *one.slot, prepared_[begin + place]));
    if (repeated) return error(Code::DuplicateKey, "a batch that has been sent before goes in one by one");
  }
  std::ranges::sort(stored_, {}, [](const Stored& stored) { return std::pair(stored.partition, stored.first); });
  for (const Stored& stored : std::exchange(stored_, {})) add_stored(stored.partition, stored.first, stored.last);
  return attempt.insert_all(entered_, order);
}

/// As many as go in one unit, each with its key and its partition's gate passed.
Status Insertion::enter_all(WriteAttempt& attempt, std::size_t begin, std::size_t end) {
  keys_.clear();
  key_ends_.clear();
  entered_.clear();
  for (reached_ = begin; reached_ < end; ++reached_) {
    if (ends_here(attempt, reached_ - begin)) break;
    const bson::View document = prepared_[reached_].document;
    key_.clear();
    const Result<const shards::PartitionSlot*> slot = attempt.enter_new(document, key_);
    if (slot.status().code() == Code::StaleConfig && reached_ > begin) break;
    CHECK_OK(slot.status());
    keys_.append(key_.bytes());
    key_ends_.push_back(keys_.size());
    entered_.push_back({*slot, {}, document});
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < entered_.size(); ++i) {  // Only now do the keys stay where they are.
    entered_[i].key = keys_.bytes().subspan(at, key_ends_[i] - at);
    at = key_ends_[i];
  }
  return {};
}

Status Insertion::insert_one(WriteAttempt& attempt, std::size_t index) {
  const bson::View document = prepared_[index].document;
  key_.clear();
  TRY(const shards::PartitionSlot* slot, attempt.enter_new(document, key_));
  TRY(const bool repeated, has_come_before(attempt, *slot, prepared_[index]));
  if (!repeated) return insert_document(attempt, ns_, *slot, key_.bytes(), document);
  repeated_.push_back(prepared_[index].statement);
  return {};
}

Result<bool> Insertion::has_come_before(WriteAttempt& attempt, const shards::PartitionSlot& slot, const Prepared& one) {
  const auto id = statement_id(operation_, one.statement);
  if (!id) return false;
  const Retryable statement{*id, shards::StatementKind::kInsert, one.own_id};
  TRY(const shards::PartitionSlot* noting, retry_slot(attempt, slot, statement));
  TRY(const bool repeated, is_repeated(attempt, *noting, statement));
  if (!repeated) add_stored(noting->partition->id(), one.statement, one.statement);
  return repeated;
}

Result<bool> Insertion::is_repeated(WriteAttempt& attempt, const shards::PartitionSlot& noting, const Retryable& statement) {
  if (fresh_ == noting.partition->id()) return false;
  TRY(const auto earlier, find_earlier(attempt, noting, statement));
  if (!earlier.begun) fresh_ = noting.partition->id();
  return earlier.done.has_value();
}

void Insertion::add_stored(shards::PartitionId partition, std::int32_t first, std::int32_t last) {
  const bool goes_on = !stored_.empty() && stored_.back().partition == partition &&
                       std::int64_t{stored_.back().last} + 1 == first;
  if (goes_on) {
    stored_.back().last = last;
  } else {
    stored_.push_back({partition, first, last});
  }
}

Status Insertion::note_retries(WriteAttempt& attempt) {
  for (const Stored& stored : stored_) {
    const auto id = statement_id(operation_, stored.first);
    const shards::DoneStatements done{stored.first, stored.last, shards::StatementKind::kInsert, {}};
    const auto begun = fresh_ == stored.partition ? shards::Begun::kNew : shards::Begun::kUnknown;
    CHECK_OK(attempt.unit().note_retry(stored.partition, *id, done, begun));
    if (fresh_ == stored.partition) fresh_.reset();  // From now on something is known of it.
  }
  return {};
}

}  // namespace partita::commands
