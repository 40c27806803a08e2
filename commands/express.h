// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/catalog/collection.h"
#include "wire/bson/view.h"

/// Filters that name one record key and nothing else, read off their bytes without parsing them.
namespace partita::commands {

/// The value of _id when the filter is {_id: value} and nothing else, with a value that equals only itself.
std::optional<bson::Value> express_id(bson::View filter);

/// Appends the record key of the one document that can match, when the filter is nothing but equalities that tell it: of
/// the _id, and of all fields of the shard key where there is one. False where it is not.
bool express_key(const shards::Collection& collection, bson::View filter, const query::Collator* collation, bson::Buffer& key);

}  // namespace partita::commands
