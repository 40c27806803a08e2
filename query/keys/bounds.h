// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/buffer.h"

/// Keys that stand beside those of values: where a scan begins and ends.
namespace partita::query::keys {

/// Below and above every encoded value, whichever way the field runs: `prefix + min` .. `prefix + max` holds all keys
/// that go on behind the prefix.
inline void append_min(bson::Buffer& key) { key.push(0x00); }
inline void append_max(bson::Buffer& key) { key.push(0xFF); }

/// Turns a key into the smallest one above all keys that begin with it: the exclusive end of a scan by prefix. False, and
/// no change, when there is none (the key is empty or all 0xFF): the scan then has no end.
bool make_prefix_successor(bson::Buffer& key);

/// Eight bytes, most significant first, in front of a hashed shard key.
void append_hash(std::uint64_t hash, bson::Buffer& key);

}  // namespace partita::query::keys
