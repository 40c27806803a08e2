// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/listed_indexes.h"

namespace partita::commands {
namespace {

bson::Document define(bson::View key, std::string_view name) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("v", 2);
    row.add("key", key);
    row.add("name", name);
  });
}

}  // namespace

void describe_id_index(const shards::Collection& collection, bson::Writer& index) {
  index.add("v", 2);
  {
    bson::Writer key = index.document("key");
    key.add("_id", 1);
  }
  index.add("name", "_id_");
  if (collection.collation != nullptr) index.add("collation", collection.collation->spec());
}

std::vector<ListedIndex> listed_indexes(const shards::Collection& collection) {
  std::vector<ListedIndex> listed;
  const bool by_shard_key = collection.lists_shard_key();
  const auto is_id = [](const auto& spec) { return spec->is_id_key(); };
  const auto own = std::ranges::find_if(collection.indexes, is_id);
  const bson::View clustered = collection.clustered_index();
  bson::Document first = bson::Document::build([&](bson::Writer& row) {
    if (clustered.empty()) return describe_id_index(collection, row);
    row.elements(clustered);
    row.add("clustered", true);
  });
  listed.push_back({std::move(first), own != collection.indexes.end() ? index_use(collection, (*own)->id) : by_shard_key ? nullptr : index_use(collection, 0)});
  if (by_shard_key) listed.push_back({define(collection.sharding->key.pattern(), collection.sharding->name), index_use(collection, 0)});
  for (const auto& spec : collection.indexes) {
    if (!spec->is_id_key()) listed.push_back({spec->definition.copy(), index_use(collection, spec->id)});
  }
  return listed;
}

}  // namespace partita::commands
