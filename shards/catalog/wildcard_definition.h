// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/collection.h"

/// Definitions of indexes with a wildcard among their fields: {"$**": 1}, {a: 1, "b.$**": -1, c: 1}.
namespace partita::shards {

/// Where it stands, all that comes below is indexed: $** is everything, a.$** what is in a.
constexpr std::string_view kWildcard = "$**";
bool is_wildcard(std::string_view path);

/// A wildcard may stand among fields that are just values, and are not in what it is about.
Status check_wildcard_key(const IndexSpec& spec);
/// What a wildcard among others is about has to be said, and must leave out the others.
Result<query::WildcardScope> wildcard_scope(const IndexSpec& spec, bson::View projection);

}  // namespace partita::shards
