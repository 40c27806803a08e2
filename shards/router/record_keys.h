// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/collection.h"

namespace partita::shards {

/// The record key of a document: what it is clustered by, and the primary key. For an unsharded collection that is its
/// _id, by the collection's collation. Appends to `key`. ShardKeyNotFound where an array stands in a shard key's place. Not of a
/// capped collection: see below.
Status append_record_key(const Collection& collection, bson::View document, bson::Buffer& key);

/// The record key of the one document that can have this _id, when the _id alone tells it; false, and no change, when it
/// does not.
bool append_record_key_of_id(const Collection& collection, bson::Value id, bson::Buffer& key);

/// Of a capped collection the records are numbered from 1 on, as they come: eight bytes, the highest first, so that they lie in
/// that order.
constexpr std::size_t kNumberBytes = 8;
std::string key_of_number(std::uint64_t number);
std::uint64_t number_of_key(Bytes record_key);

}  // namespace partita::shards
