// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/record_keys.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "query/keys/encode.h"

namespace partita::shards {

Status append_record_key(const Collection& collection, bson::View document, bson::Buffer& key) {
  assert(!collection.capped && "a document does not tell its number");
  if (collection.sharding != nullptr) return collection.sharding->key.append(document, key, collection.collation.get());
  query::keys::encode(document["_id"], key, nullptr, collection.collation.get());
  return {};
}

bool append_record_key_of_id(const Collection& collection, bson::Value id, bson::Buffer& key) {
  if (collection.capped) return false;
  if (collection.sharding == nullptr) {
    query::keys::encode(id, key, nullptr, collection.collation.get());
    return true;
  }
  const query::ShardKey& shard_key = collection.sharding->key;
  if (!shard_key.is_found_by_id()) return false;
  shard_key.append({&id, 1}, id, key);
  return true;
}

std::string key_of_number(std::uint64_t number) {
  const std::uint64_t bytes = __builtin_bswap64(number);
  std::string key(kNumberBytes, '\0');
  std::memcpy(key.data(), &bytes, kNumberBytes);
  return key;
}

std::uint64_t number_of_key(Bytes record_key) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, record_key.data(), std::min(record_key.size(), sizeof bytes));
  return __builtin_bswap64(bytes);
}

}  // namespace partita::shards
