// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "commands/index_use.h"
#include "shards/catalog/collection.h"

namespace partita::commands {

/// An index as clients know it.
struct ListedIndex {
  bson::Document definition;
  std::shared_ptr<IndexUse> use;  ///< Null: it is no index of its own, and nothing is looked up by it.
};

/// {v: 2, key: {_id: 1}, name: "_id_"}
void describe_id_index(const shards::Collection& collection, bson::Writer& index);

/// All indexes of a collection in the order of listIndexes: that of _id first, which the records are, or may be.
std::vector<ListedIndex> listed_indexes(const shards::Collection& collection);

}  // namespace partita::commands
