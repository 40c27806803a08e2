// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/router/write.h"

namespace partita::shards {

/// Inserts a document at a key, or puts it in the place of what is there.
inline Status put_at(WriteAttempt& attempt, Bytes key, const bson::Document& document) {
  TRY(const PartitionSlot* slot, attempt.enter(key));
  TRY(Cursor rows, attempt.session().cursor(slot->partition->records()));
  TRY(const bool there, rows.find(key));
  if (!there) return attempt.unit().insert(*slot, key, document);
  const bson::Document before(bson::View::trusted(rows.value().data()));
  return attempt.unit().update(*slot, rows, key, before, document);
}

/// Removes what is at a key, if anything is.
inline Status erase_at(WriteAttempt& attempt, Bytes key) {
  TRY(const PartitionSlot* slot, attempt.enter(key));
  TRY(Cursor rows, attempt.session().cursor(slot->partition->records()));
  TRY(const bool there, rows.find(key));
  if (!there) return {};
  const bson::Document before(bson::View::trusted(rows.value().data()));
  return attempt.unit().remove(*slot, rows, key, before);
}

}  // namespace partita::shards
