// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/record_keys.h"

#include "query/keys/encode.h"

namespace partita::shards {

Status append_record_key(const Collection& collection, bson::View document, bson::Buffer& key) {
  if (collection.sharding != nullptr) return collection.sharding->key.append(document, key);
  query::keys::encode(document["_id"], key);
  return {};
}

bool append_record_key_of_id(const Collection& collection, bson::Value id, bson::Buffer& key) {
  if (collection.sharding == nullptr) {
    query::keys::encode(id, key);
    return true;
  }
  const query::ShardKey& shard_key = collection.sharding->key;
  if (!shard_key.is_found_by_id()) return false;
  shard_key.append({&id, 1}, id, key);
  return true;
}

}  // namespace partita::shards
