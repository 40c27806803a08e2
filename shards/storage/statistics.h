// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "shards/storage/session.h"

namespace partita::shards {

/// What WiredTiger counts, of the whole connection or of one table. Reading takes a few hundred microseconds.
struct Statistic {
  std::string_view category;  ///< "cache"
  std::string_view name;      ///< "bytes currently in the cache"
  std::int64_t value = 0;
};
/// In WiredTiger's order, which keeps a category together. The texts are WiredTiger's own and stay.
Status each_statistic(Session& session, const std::function<void(const Statistic&)>& each);

/// Bytes inside the table's file that hold nothing and will be used before the file grows.
Result<std::int64_t> reusable_bytes(Session& session, TableId table);
/// Bytes that the session's transaction has changed and that must stay in the cache until it ends.
Result<std::int64_t> unwritten_bytes(Session& session);

}  // namespace partita::shards
