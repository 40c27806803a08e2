// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/sessions/retry.h"

#include <cstring>

namespace partita::shards {
namespace {

constexpr std::size_t kTransactionSize = 8;
constexpr std::size_t kStatementHead = 12;

template <class T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

Status damaged() { return error(Code::DataModifiedByRepair, "damaged retry row"); }

}  // namespace

RetryKey retry_key(PartitionId partition, const StatementId& id) {
  RetryKey key;
  for (int i = 0; i < 4; ++i) key[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(partition) >> (24 - 8 * i));
  std::memcpy(key.data() + 4, id.session.data(), id.session.size());
  std::memcpy(key.data() + 20, &id.owner, sizeof id.owner);
  return key;
}

PartitionId partition_of(Bytes retry_key) {
  std::uint32_t id = 0;
  for (const std::uint8_t byte : retry_key.first(4)) id = id << 8 | byte;
  return PartitionId{id};
}

void append_statement(bson::Buffer& out, const StatementOutcome& statement) {
  out.put(statement.first);
  out.put(statement.last);
  out.put(static_cast<std::uint32_t>(statement.outcome.size()));
  out.append(statement.outcome);
}

Result<std::optional<Bytes>> find_outcome(Bytes row, const StatementId& id) {
  if (row.size() < kTransactionSize) return damaged();
  const auto last = load<std::int64_t>(row.data());
  if (last > id.transaction) {
    return error(Code::TransactionTooOld, "Retryable write with txnNumber ", id.transaction,
                 " is prohibited on session because a newer retryable write with txnNumber ", last,
                 " has already started on this session.");
  }
  if (last < id.transaction) return std::optional<Bytes>();
  for (std::size_t at = kTransactionSize; at < row.size();) {
    if (row.size() - at < kStatementHead) return damaged();
    const auto size = load<std::uint32_t>(row.data() + at + 8);
    if (size > row.size() - at - kStatementHead) return damaged();
    const bool inside = id.statement >= load<std::int32_t>(row.data() + at) &&
                        id.statement <= load<std::int32_t>(row.data() + at + 4);
    if (inside) return std::optional<Bytes>(row.subspan(at + kStatementHead, size));
    at += kStatementHead + size;
  }
  return std::optional<Bytes>();
}

Status merge_statement(Bytes row_before, Bytes operation_image, bson::Buffer& row_after) {
  if (operation_image.size() < kTransactionSize + kStatementHead) return damaged();
  const auto number = load<std::int64_t>(operation_image.data());
  row_after.clear();
  const bool goes_on = row_before.size() >= kTransactionSize && load<std::int64_t>(row_before.data()) == number;
  if (goes_on) {
    row_after.append(row_before);
    row_after.append(operation_image.subspan(kTransactionSize));
  } else {
    row_after.append(operation_image);
  }
  return {};
}

}  // namespace partita::shards
