// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/touched_keys.h"

#include "shards/store.h"

namespace partita::shards {
namespace {

/// Records of the log between two looks at whether to go on.
constexpr Sequence kInterruptInterval = 64;

bool names_document(OperationType type) {
  return type == OperationType::kInsert || type == OperationType::kUpdate || type == OperationType::kUpdateDiff ||
         type == OperationType::kDelete;
}

}  // namespace

TouchedKeys::TouchedKeys(Store& store, std::span<const PartitionId> partitions)
    : store_(store), hold_(store.log_holds(), 0) {
  for (const PartitionId partition : partitions) keys_[partition];
}

void TouchedKeys::begin(Sequence from) {
  next_ = from;
  hold_.move_to(from);
}

Result<std::size_t> TouchedKeys::collect(Sequence to, const GoOn& go_on) {
  std::size_t added = 0;
  if (next_ >= to) return added;
  TRY(const std::unique_ptr<LogTail> tail, store_.log(kDataLog).tail(next_));
  for (; next_ < to; ++next_) {
    if (next_ % kInterruptInterval == 0) CHECK_OK(go_on());
    TRY(const std::optional<Bytes> record, tail->next());
    if (!record) return error(Code::DataModifiedByRepair, "the log ends at ", next_, ", before ", to);
    TRY(RecordReader reader, RecordReader::open(*record));
    if (reader.header().sequence != next_) return error(Code::DataModifiedByRepair, "the log lacks record ", next_);
    if (reader.header().kind != RecordKind::kOperations) continue;
    TRY(const std::size_t more, collect_record(reader));
    added += more;
  }
  hold_.move_to(next_);
  return added;
}

Result<std::size_t> TouchedKeys::collect_record(RecordReader& record) {
  std::size_t added = 0;
  while (true) {
    TRY(const std::optional<Operation> operation, record.next());
    if (!operation) return added;
    if (!names_document(operation->type)) continue;
    const auto keys = keys_.find(operation->partition);
    if (keys == keys_.end()) continue;
    const Bytes key = operation->key;
    added += keys->second.emplace(reinterpret_cast<const char*>(key.data()), key.size()).second;
  }
}

std::size_t TouchedKeys::size() const {
  std::size_t size = 0;
  for (const auto& [partition, keys] : keys_) size += keys.size();
  return size;
}

void TouchedKeys::clear() {
  for (auto& [partition, keys] : keys_) keys.clear();
}

}  // namespace partita::shards
