// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/log/record.h"
#include "wire/bson/buffer.h"

namespace partita::shards {

/// A statement of a retryable write: the session, its number in that session, its place in the command.
struct StatementId {
  Uuid session{};
  std::uint64_t owner = 0;  ///< Who the session belongs to; 0 when nobody says so.
  std::int64_t transaction = 0;
  std::int32_t statement = 0;
};

/// What a statement was. The numbers are on disk.
enum class StatementKind : std::uint8_t { kInsert = 1, kUpdate = 2, kDelete = 3, kFindAndModify = 4 };
std::string_view name_of(StatementKind kind);

/// Statements first..last, all with the same outcome: what they did, as their command encodes it. An insert's is empty.
struct DoneStatements {
  std::int32_t first = 0;
  std::int32_t last = 0;
  StatementKind kind = StatementKind::kInsert;
  Bytes outcome;
};

/// A session's statements in one partition lie in rows of neighbours, so that one more of them rewrites a short row,
/// however many there are. 32 to a row: with 8 a command of many updates takes more rows, with 128 it copies more.
constexpr std::uint32_t kStatementsInBlock = 32;
constexpr std::uint32_t block_of(std::int32_t statement) {
  return static_cast<std::uint32_t>(statement) / kStatementsInBlock;
}

/// The key of a retry row: partition (4, big-endian) · session (16) · owner (8) · block (4, big-endian). The partition
/// comes first, so that its rows are one range that moves with it; then the session, whose rows are neighbours.
using RetryKey = std::array<std::uint8_t, 32>;
RetryKey retry_key(PartitionId partition, const StatementId& id, std::uint32_t block);
PartitionId partition_of(Bytes retry_key);
/// What all retry keys of a partition begin with.
using RetryPrefix = std::array<std::uint8_t, 4>;
RetryPrefix retry_prefix(PartitionId partition);
/// From the first key of the partition to the first behind it; an empty upper end is that of the table.
struct RetryRange {
  RetryPrefix lower;
  std::optional<RetryPrefix> upper;
};
RetryRange retry_range(PartitionId partition);

/// A retry row, and what a retry-row operation of a record carries: both say which statements a transaction number has
/// done.
///
///     row        transaction (8) · time (8) · statements ...
///     statements first (4) · last (4) · kind (1) · outcome length (4) · outcome
///
/// Block 0 stands for the session: it is there, with the transaction's number, before any other of its blocks is, and it
/// holds ranges that reach over a whole block or more. So whoever looks for a statement looks into block 0 first; there it
/// is told that the session has gone on to a higher number, or that this number has done nothing here yet, which is how
/// nearly every search ends. A block whose number is lower than the asked one is a leftover and no answer. Times are those
/// of the drafting clock: they decide when a row may be forgotten, and block 0's is at most kRetryRefresh behind any other.
/// Reads bytes from disk: every length is checked. Views into the caller's bytes.
class RetryRow {
 public:
  static constexpr std::size_t kHeadSize = 16;
  static Result<RetryRow> open(Bytes row);

  std::int64_t transaction() const { return transaction_; }
  Time time() const { return time_; }
  /// All statements as they lie there, unread ones included.
  Bytes statements() const { return bytes_.subspan(kHeadSize); }
  /// The next statements, nullopt behind the last.
  Result<std::optional<DoneStatements>> next();

 private:
  Bytes bytes_;
  std::size_t at_ = kHeadSize;
  std::int64_t transaction_ = 0;
  Time time_ = 0;
};

/// Every statement of the row can be read.
Status check_retry_row(Bytes row);

void begin_retry_row(bson::Buffer& out, std::int64_t transaction, Time time);
void append_statements(bson::Buffer& out, const DoneStatements& statements);

/// The row after an operation: one of a higher transaction number begins it anew, one of a lower number is late and changes
/// nothing, and within a number statements are added, neighbours with equal outcomes as one range. Either of the two, or
/// `scratch`, holds the result.
Result<Bytes> merge_retry_rows(Bytes row, Bytes operation_image, bson::Buffer& scratch);

/// How far block 0's time may lie behind that of a later block.
constexpr std::uint32_t kRetryRefreshSeconds = 60;
/// Whether a row of this time may be forgotten, when sessions live on for so long after their last write.
constexpr bool is_forgettable(Time row, std::uint32_t timeout_seconds, std::uint32_t now_seconds) {
  return std::uint64_t{seconds_of(row)} + timeout_seconds + kRetryRefreshSeconds < now_seconds;
}

}  // namespace partita::shards
