// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "shards/catalog/collection.h"
#include "wire/bson/writer.h"

namespace partita::shards {

class Store;

/// Names the documents that stand in the way of an index becoming unique: for each value that several have, {ids: [...]} with
/// their _ids. Ends early when that has become longer than a reply may well be. Returns how many such values it has named.
Result<std::size_t> write_duplicates(Store& store, const std::shared_ptr<const Collection>& collection,
                                     const std::shared_ptr<const IndexSpec>& index, const std::function<Status()>& go_on,
                                     bson::ArrayWriter& out);

}  // namespace partita::shards
