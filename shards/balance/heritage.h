// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/balance/job.h"
#include "shards/catalog/collection.h"

namespace partita::shards {

class Store;

/// What a collection's partitions know of statements through others that they came from becomes their own: the rows are
/// copied, a few in a write, to each heir; then one change of the catalog ends the inheritance, and rows that nobody
/// inherits any more are gone with it. Until then a search looks at both. May be broken off anywhere, and begun again.
Status settle_heritage(Store& store, const Uuid& collection, const BalanceJob::GoOn& go_on);

}  // namespace partita::shards
