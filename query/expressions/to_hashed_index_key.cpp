// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/expression.h"
#include "query/shard_key/shard_key.h"

namespace partita::query {
namespace {

Result<bson::Value> to_hashed_index_key(Args args, Arena&) {
  return bson::Value::of(shown_hash(hash_of(args[0])));
}

const RegisterEntry<Expression> kToHashedIndexKey{{
    .name = "$toHashedIndexKey",
    .summary = "The hash by which a value is placed under a hashed shard key: another one than MongoDB's.",
    .evaluate = to_hashed_index_key,
    .examples = {{"{$toHashedIndexKey: '$a'}", "{a: 1}", "{$numberLong: '-5120740074723616601'}"},
                 {"{$toHashedIndexKey: '$a'}", "{a: 'x'}", "{$numberLong: '2137270081874881023'}"},
                 {"{$toHashedIndexKey: '$a'}", "{b: 1}", "{$numberLong: '-6457669903098158262'}"}},
}};

}  // namespace
}  // namespace partita::query
