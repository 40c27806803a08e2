// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/touched_keys.h"

#include <algorithm>

#include "shards/store.h"

namespace partita::shards {
namespace {

/// Records of the log between two looks at whether to go on.
constexpr Sequence kInterruptInterval = 64;
/// A node of a set, with an allocation for the key in it.
constexpr std::size_t kNodeBytes = 96;

bool names_document(OperationType type) {
  return type == OperationType::kInsert || type == OperationType::kUpdate || type == OperationType::kUpdateDiff ||
         type == OperationType::kDelete;
}

}  // namespace

TouchedKeys::TouchedKeys(Store& store, std::span<const PartitionId> partitions, std::size_t most_bytes)
    : store_(store), most_bytes_(std::max<std::size_t>(most_bytes, 1)), hold_(store.log_holds(), 0) {
  for (const PartitionId partition : partitions) keys_[partition];
}

void TouchedKeys::begin(Sequence from) {
  next_ = from;
  hold_.move_to(from);
}

Result<TouchedKeys::Reached> TouchedKeys::collect(Sequence to, const GoOn& go_on) {
  Reached reached{next_};
  if (next_ >= to) return reached;
  TRY(const std::unique_ptr<LogTail> tail, store_.log(kDataLog).tail(next_));
  for (; next_ < to && bytes_ < most_bytes_; ++next_) {
    if (next_ % kInterruptInterval == 0) CHECK_OK(go_on());
    TRY(const std::optional<Bytes> record, tail->next());
    if (!record) return error(Code::DataModifiedByRepair, "the log ends at ", next_, ", before ", to);
    TRY(RecordReader reader, RecordReader::open(*record));
    if (reader.header().sequence != next_) return error(Code::DataModifiedByRepair, "the log lacks record ", next_);
    reached.time = reader.header().commit_time;
    if (reader.header().kind == RecordKind::kOperations) CHECK_OK(collect_record(reader));
  }
  hold_.move_to(next_);
  reached.next = next_;
  return reached;
}

Status TouchedKeys::collect_record(RecordReader& record) {
  while (true) {
    TRY(const std::optional<Operation> operation, record.next());
    if (!operation) return {};
    if (!names_document(operation->type)) continue;
    const auto keys = keys_.find(operation->partition);
    if (keys == keys_.end()) continue;
    const Bytes key = operation->key;
    const bool fresh = keys->second.emplace(reinterpret_cast<const char*>(key.data()), key.size()).second;
    if (fresh) bytes_ += kNodeBytes + key.size();
  }
}

std::size_t TouchedKeys::size() const {
  std::size_t size = 0;
  for (const auto& [partition, keys] : keys_) size += keys.size();
  return size;
}

void TouchedKeys::clear() {
  for (auto& [partition, keys] : keys_) keys.clear();
  bytes_ = 0;
}

}  // namespace partita::shards
