// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/sessions/retry_rows.h"

#include "shards/storage/memory_tables.h"
#include "shards/storage/session.h"

namespace partita::shards {
namespace {

Status too_old(std::int64_t asked, std::int64_t last) {
  return error(Code::TransactionTooOld, "Retryable write with txnNumber ", asked,
               " is prohibited on session because a newer retryable write with txnNumber ", last,
               " has already started on this session.");
}

/// Views into the row become copies: the page that holds it may go once the cursor has moved on.
Result<EarlierStatement> find_in_row(Bytes bytes, const StatementId& id) {
  EarlierStatement earlier;
  TRY(RetryRow row, RetryRow::open(bytes));
  if (row.transaction() > id.transaction) return too_old(id.transaction, row.transaction());
  if (row.transaction() < id.transaction) return earlier;
  earlier.begun = true;
  while (true) {
    TRY(const std::optional<DoneStatements> one, row.next());
    if (!one) return earlier;
    if (id.statement < one->first || id.statement > one->last) continue;
    earlier.done = {one->kind, {one->outcome.begin(), one->outcome.end()}};
    return earlier;
  }
}

}  // namespace

template <class Cursor>
Result<EarlierStatement> find_statement_by(Cursor& rows, PartitionId partition, const StatementId& id) {
  TRY(const bool first, rows.find(retry_key(partition, id, 0)));
  if (!first) return EarlierStatement{};
  TRY(EarlierStatement earlier, find_in_row(rows.value(), id));
  earlier.known = true;
  const std::uint32_t block = block_of(id.statement);
  if (!earlier.begun || earlier.done || block == 0) return earlier;
  TRY(const bool own, rows.find(retry_key(partition, id, block)));
  if (!own) return earlier;
  TRY(EarlierStatement in_block, find_in_row(rows.value(), id));
  earlier.done = std::move(in_block.done);
  return earlier;
}

template <RowSession Session>
Result<EarlierStatement> find_statement(Session& session, TableId retry_table, PartitionId partition,
                                        const StatementId& id) {
  TRY(auto rows, session.cursor(retry_table));
  return find_statement_by(rows, partition, id);
}

template <RowSession Session>
Result<EarlierStatement> find_statement(Session& session, TableId retry_table, const PartitionSlot& slot,
                                        const StatementId& id) {
  TRY(EarlierStatement earlier, find_statement(session, retry_table, slot.partition->id(), id));
  for (const PartitionId parent : slot.inherits) {
    if (earlier.done) break;
    TRY(EarlierStatement inherited, find_statement(session, retry_table, parent, id));
    earlier.begun |= inherited.begun;
    earlier.done = std::move(inherited.done);
  }
  return earlier;
}

template <RowSession Session>
Result<bool> has_begun(Session& session, TableId retry_table, PartitionId partition, const StatementId& id, Time now) {
  TRY(auto rows, session.cursor(retry_table));
  TRY(const bool there, rows.find(retry_key(partition, id, 0)));
  if (!there) return false;
  TRY(const RetryRow row, RetryRow::open(rows.value()));
  return row.transaction() >= id.transaction && seconds_of(row.time()) + std::uint64_t{kRetryRefreshSeconds} > seconds_of(now);
}

template Result<EarlierStatement> find_statement_by(Cursor&, PartitionId, const StatementId&);
template Result<EarlierStatement> find_statement_by(MemoryCursor&, PartitionId, const StatementId&);
template Result<EarlierStatement> find_statement(Session&, TableId, PartitionId, const StatementId&);
template Result<EarlierStatement> find_statement(MemorySession&, TableId, PartitionId, const StatementId&);
template Result<EarlierStatement> find_statement(Session&, TableId, const PartitionSlot&, const StatementId&);
template Result<EarlierStatement> find_statement(MemorySession&, TableId, const PartitionSlot&, const StatementId&);
template Result<bool> has_begun(Session&, TableId, PartitionId, const StatementId&, Time);
template Result<bool> has_begun(MemorySession&, TableId, PartitionId, const StatementId&, Time);

}  // namespace partita::shards
