// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/record_keys.h"

#include "query/keys/encode.h"

namespace partita::shards {

void append_record_key(const Collection& collection, bson::View document, bson::Buffer& key) {
  append_record_key_of_id(collection, document["_id"], key);
}

bool append_record_key_of_id(const Collection&, bson::Value id, bson::Buffer& key) {
  query::keys::encode(id, key);
  return true;
}

}  // namespace partita::shards
