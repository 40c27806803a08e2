// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/catalog/collection.h"
#include "shards/sessions/retry.h"
#include "shards/storage/table_set.h"

/// Looking into retry rows, in the caller's transaction.
namespace partita::shards {

/// What is known of a statement that may have come before.
struct EarlierStatement {
  /// Block 0 is there, of whatever transaction number.
  bool known = false;
  /// Its transaction number has done something in the partition: other statements may be found there too.
  bool begun = false;
  struct Done {
    StatementKind kind;
    std::vector<std::uint8_t> outcome;
  };
  std::optional<Done> done;
};

/// TransactionTooOld when the session has gone on to a higher number in this partition.
template <RowSession Session>
Result<EarlierStatement> find_statement(Session& session, TableId retry_table, PartitionId partition, const StatementId& id);
/// The same by a cursor on the retry table, which is left on block 0 when that is there and the number has not begun.
template <class Cursor>
Result<EarlierStatement> find_statement_by(Cursor& rows, PartitionId partition, const StatementId& id);

/// The same of a partition and of those whose rows it inherits.
template <RowSession Session>
Result<EarlierStatement> find_statement(Session& session, TableId retry_table, const PartitionSlot& slot, const StatementId& id);

/// Whether block 0 says that the transaction number has begun, and has said so lately: what a statement in a block of its
/// own asks for.
template <RowSession Session>
Result<bool> has_begun(Session& session, TableId retry_table, PartitionId partition, const StatementId& id, Time now);

/// The record key whose partition keeps the statements of this session that name no record key themselves (a filter
/// that has to be looked for, an _id that is yet to be made). It depends on nothing but the session: copies of such a
/// statement may find documents in different partitions, but note it in the same one, and so collide there.
inline Bytes home_key(const StatementId& id) { return id.session; }

}  // namespace partita::shards
