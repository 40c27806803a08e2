// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/log/record.h"
#include "wire/bson/buffer.h"

namespace partita::shards {

/// A statement of a retryable write: the session, its number in that session, its place in the command.
struct StatementId {
  Uuid session{};
  std::uint64_t owner = 0;  ///< Who the session belongs to: 0 as long as there are no users.
  std::int64_t transaction = 0;
  std::int32_t statement = 0;
};

/// Which partition, session and owner a retry row belongs to: 4 + 16 + 8 bytes, the partition first, so that a
/// partition's rows are one range that moves with it.
using RetryKey = std::array<std::uint8_t, 28>;
RetryKey retry_key(PartitionId partition, const StatementId& id);
PartitionId partition_of(Bytes retry_key);

/// What a retry-row operation of a record carries, and what the row keeps per statement:
///
///     operation  transaction (8) · statement
///     row        transaction (8) · statement · statement ...
///     statement  first (4) · last (4) · outcome length (4) · outcome
///
/// A batch of statements with one outcome each of "one document inserted" is one statement with a range.
struct StatementOutcome {
  std::int32_t first = 0;
  std::int32_t last = 0;
  Bytes outcome;
};
void append_statement(bson::Buffer& out, const StatementOutcome& statement);

/// Looks for the statement in a row: nullopt when this transaction number has not done it yet. TransactionTooOld when
/// the session has gone on to a higher number.
Result<std::optional<Bytes>> find_outcome(Bytes row, const StatementId& id);

/// The row after one more statement: begins anew when the number is higher than the row's.
Status merge_statement(Bytes row_before, Bytes operation_image, bson::Buffer& row_after);

}  // namespace partita::shards
