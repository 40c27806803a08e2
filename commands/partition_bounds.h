// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "shards/balance/job.h"
#include "shards/catalog/collection.h"

/// What the commands that split and merge have in common: which collection, which bounds, what came of it.
namespace partita::commands {

/// The sharded collection that a command on admin names in its first field. NamespaceNotSharded for any other.
Result<std::shared_ptr<const shards::Collection>> sharded_target(Operation& operation, std::string_view command);

/// The partition bytes of a bound as clients write it, {region: NumberLong(...)}. MaxKey throughout is the upper end, which
/// is empty, as MinKey throughout is the lower end.
Result<std::string> parse_bound(const shards::Collection& collection, bson::View bound);
/// It names the fields of the shard key, all of them, and no others but what ShardKey::bound() puts behind them: the _id only
/// where keys are divided.
bool fits_shard_key(const shards::Collection& collection, bson::View bound);
/// `[{ k: MinKey }, { k: 5 })`, as messages show a partition.
std::string shown_range(const shards::Collection& collection, const std::string& min, const std::string& max);

/// {parts: [{partition, min, max, documents, bytes}], pauseMicros}; a preview says what it would do instead of the pause.
Status write_outcome(const shards::Collection& collection, const shards::BalanceOutcome& outcome, bool preview,
                     std::string_view effect, bson::Writer& reply);

}  // namespace partita::commands
