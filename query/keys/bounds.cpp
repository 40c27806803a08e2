// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/bounds.h"

#include "query/keys/text.h"

namespace partita::query::keys {

bool make_prefix_successor(bson::Buffer& key) {
  std::size_t size = key.size();
  while (size > 0 && key.data()[size - 1] == 0xFF) --size;
  if (size == 0) return false;
  ++key.data()[size - 1];
  key.truncate(size);
  return true;
}

void append_hash(std::uint64_t hash, bson::Buffer& key) { put_big_endian(hash, key); }

}  // namespace partita::query::keys
