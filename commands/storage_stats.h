// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "shards/catalog/collection.h"
#include "shards/store.h"

namespace partita::commands {

/// How large a collection is: counted in memory, and measured as files. Cheap but for reusable_bytes.
struct CollectionSizes {
  struct Index {
    std::string_view name;
    std::int64_t bytes = 0;
  };
  shards::Growth growth;  ///< Documents and their bytes.
  std::int64_t storage_bytes = 0;
  std::int64_t reusable_bytes = 0;        ///< Of storage_bytes; only with Detail::kReusable.
  /// That of _id first, which is the record key and takes nothing by itself, but for what keeps every _id unique.
  std::vector<Index> indexes;
  std::int64_t index_bytes = 0;
  std::int64_t index_reusable_bytes = 0;  ///< As above.

  enum class Detail : std::uint8_t { kFiles, kReusable };
  static Result<CollectionSizes> of(shards::Engine& engine, const shards::Collection& collection, Detail detail);

  std::int64_t average_document() const { return growth.documents > 0 ? growth.bytes / growth.documents : 0; }

 private:
  Status add_claims(shards::Engine& engine, const shards::Collection& collection, Detail detail);
};

/// Reads `scale`: what sizes are divided by. At least 1.
Result<std::int64_t> parse_scale(std::int64_t scale);

/// The fields that collStats and $collStats' storageStats have in common.
void write_collection_sizes(bson::Writer& to, const shards::Collection& collection, const CollectionSizes& sizes,
                            std::int64_t scale);

}  // namespace partita::commands
