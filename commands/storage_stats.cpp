// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/storage_stats.h"

#include "shards/storage/statistics.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using shards::Engine;
using shards::PartitionSlot;
using shards::TableId;

constexpr std::string_view kIdIndex = "_id_";

Status add_file(Engine& engine, TableId table, CollectionSizes::Detail detail, std::int64_t& bytes,
                std::int64_t& reusable) {
  TRY(const std::int64_t size, engine.file_size(table));
  bytes += size;
  if (detail != CollectionSizes::Detail::kReusable) return {};
  TRY(const shards::SessionLease session, shards::SessionLease::take(engine));
  TRY(const std::int64_t free, shards::reusable_bytes(*session, table));
  reusable += free;
  return {};
}

}  // namespace

Result<CollectionSizes> CollectionSizes::of(Engine& engine, const shards::Collection& collection, Detail detail) {
  CollectionSizes sizes;
  sizes.growth = collection.size();
  // What the records themselves serve as takes no room of its own.
  if (collection.records_are_id_index()) sizes.indexes.push_back({kIdIndex, 0});
  if (collection.lists_shard_key()) sizes.indexes.push_back({collection.sharding->name, 0});
  const std::size_t own = sizes.indexes.size();
  for (const auto& spec : collection.indexes) sizes.indexes.push_back({spec->name, 0});
  for (const shards::Collection::Run& run : collection.runs()) {
    const PartitionSlot& slot = collection.partitions[run.first];
    CHECK_OK(add_file(engine, slot.partition->records(), detail, sizes.storage_bytes, sizes.reusable_bytes));
    for (std::size_t i = 0; i < slot.indexes.size(); ++i) {
      std::int64_t bytes = 0;
      CHECK_OK(add_file(engine, slot.indexes[i]->table, detail, bytes, sizes.index_reusable_bytes));
      sizes.indexes[own + i].bytes += bytes;
      sizes.index_bytes += bytes;
    }
  }
  CHECK_OK(sizes.add_claims(engine, collection, detail));
  return sizes;
}

/// What keeps every _id unique over all partitions is a part of the index of _id.
Status CollectionSizes::add_claims(Engine& engine, const shards::Collection& collection, Detail detail) {
  const TableId claims = collection.partitions.front().claims;
  if (claims == shards::kNoTable) return {};
  std::int64_t bytes = 0;
  CHECK_OK(add_file(engine, claims, detail, bytes, index_reusable_bytes));
  index_bytes += bytes;
  const auto of_id = std::ranges::find(indexes, kIdIndex, &Index::name);
  if (of_id != indexes.end()) of_id->bytes += bytes;
  return {};
}

Result<std::int64_t> parse_scale(std::int64_t scale) {
  if (scale < 1) return error(Code{51024}, "BSON field 'scale' value must be >= 1, actual value '", scale, "'");
  return scale;
}

void write_collection_sizes(bson::Writer& to, const shards::Collection& collection, const CollectionSizes& sizes,
                            std::int64_t scale) {
  add_number(to, "size", sizes.growth.bytes / scale);
  add_number(to, "count", sizes.growth.documents);
  if (sizes.growth.documents > 0) add_number(to, "avgObjSize", sizes.average_document());
  to.add("numOrphanDocs", std::int32_t{0});
  add_number(to, "storageSize", sizes.storage_bytes / scale);
  add_number(to, "freeStorageSize", sizes.reusable_bytes / scale);
  to.add("capped", collection.capped.has_value());
  if (collection.capped) {
    add_number(to, "max", collection.capped->shown_documents());
    add_number(to, "maxSize", collection.capped->bytes / scale);
  }
  to.add("nindexes", static_cast<std::int32_t>(sizes.indexes.size()));
  to.array("indexBuilds").close();
  add_number(to, "totalIndexSize", sizes.index_bytes / scale);
  add_number(to, "totalSize", (sizes.storage_bytes + sizes.index_bytes) / scale);
  {
    bson::Writer indexes = to.document("indexSizes");
    for (const CollectionSizes::Index& index : sizes.indexes) add_number(indexes, index.name, index.bytes / scale);
  }
  add_number(to, "scaleFactor", scale);
  to.add("npartitions", static_cast<std::int32_t>(collection.partitions.size()));
}

}  // namespace partita::commands
