// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/rows.h"

#include <algorithm>
#include <array>

#include "shards/catalog/collection.h"
#include "query/collation/collator.h"

namespace partita::shards {
namespace {

constexpr std::size_t kUuidSize = 16;

Status damaged(std::string_view row, std::string_view field) {
  return error(Code::DataModifiedByRepair, "damaged catalog row: '", field, "' of a ", row, " row");
}

Result<std::uint32_t> number(bson::View row, std::string_view kind, std::string_view field) {
  const auto value = row[field].exact_int64();
  if (!value || *value < 0 || *value > UINT32_MAX) return damaged(kind, field);
  return static_cast<std::uint32_t>(*value);
}

std::string partition_key(RowKind kind, const Uuid& uuid, PartitionId id) {
  std::string key(1, static_cast<char>(kind));
  key.append(reinterpret_cast<const char*>(uuid.data()), uuid.size());
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(static_cast<std::uint32_t>(id) >> shift));
  return key;
}

std::vector<PartitionId> read_ids(bson::Value array) {
  std::vector<PartitionId> ids;
  for (const auto& [name, id] : array.is_array() ? array.as_document() : bson::View()) {
    ids.push_back(PartitionId{static_cast<std::uint32_t>(id.exact_int64().value_or(0))});
  }
  return ids;
}

/// Sort keys in its tables: they are in order as long as the rules are the same.
bool has_collation(const CollectionRow& row) {
  const auto collated = [](const IndexRow& index) { return index.definition.view().has("collation"); };
  return row.options.view().has("collation") || std::ranges::any_of(row.indexes, collated);
}

}  // namespace

bson::Document MetaRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("format", format);
    row.add("nextPartition", static_cast<std::int64_t>(next_partition));
    row.add("cluster", cluster);
    if (!balancing) row.add("balancing", false);
    if (!splitting) row.add("splitting", false);
    if (!merging) row.add("merging", false);
  });
}

Result<MetaRow> MetaRow::decode(bson::View row) {
  MetaRow meta;
  TRY(const std::uint32_t format, number(row, "meta", "format"));
  if (format != kFormat) {
    return error(Code::FileOpenFailed, "the data directory has format ", format, ", written by another version; this one reads format ",
                 kFormat);
  }
  meta.format = kFormat;
  TRY(meta.next_partition, number(row, "meta", "nextPartition"));
  const bson::Value cluster = row["cluster"];
  if (!cluster.is(bson::Type::kObjectId)) return damaged("meta", "cluster");
  meta.cluster = cluster.as_object_id();
  meta.balancing = !row.has("balancing") || row["balancing"].truthy();
  meta.splitting = !row.has("splitting") || row["splitting"].truthy();
  meta.merging = !row.has("merging") || row["merging"].truthy();
  return meta;
}

Result<std::shared_ptr<const IndexSpec>> IndexRow::spec(bson::View options) const {
  TRY(IndexSpec spec, IndexSpec::parse(definition));
  spec.id = id;
  // Nothing else keeps an _id from being there twice.
  spec.unique |= spec.is_id_key() && CappedLimits::of(options).has_value();
  return std::make_shared<const IndexSpec>(std::move(spec));
}

CollectionRow CollectionRow::copy() const {
  CollectionRow copy{ns, options.copy(), sharding.copy(), next_index, {}};
  for (const IndexRow& index : indexes) copy.indexes.push_back({index.id, index.definition.copy()});
  return copy;
}

std::string CollectionRow::key(const Uuid& uuid) {
  std::string key(1, static_cast<char>(RowKind::kCollection));
  return key.append(reinterpret_cast<const char*>(uuid.data()), uuid.size());
}

bson::Document CollectionRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("ns", ns);
    row.add("options", options.view());
    if (has_collation(*this)) row.add("collationRules", query::Collator::rules_version());
    if (!sharding.view().empty()) row.add("sharding", sharding.view());
    row.add("nextIndex", static_cast<std::int64_t>(next_index));
    bson::ArrayWriter array = row.array("indexes");
    for (const IndexRow& index : indexes) {
      bson::Writer one = array.document();
      one.add("id", static_cast<std::int64_t>(index.id));
      one.add("definition", index.definition.view());
    }
  });
}

Result<CollectionRow> CollectionRow::decode(bson::View row) {
  CollectionRow collection;
  const bson::Value ns = row["ns"];
  if (!ns.is_string()) return damaged("collection", "ns");
  collection.ns = ns.as_string();
  const bson::Value options = row["options"];
  if (!options.is_document()) return damaged("collection", "options");
  collection.options = bson::Document(options.as_document());
  if (const bson::Value sharding = row["sharding"]; !sharding.missing()) {
    if (!sharding.is_document()) return damaged("collection", "sharding");
    collection.sharding = bson::Document(sharding.as_document());
  }
  TRY(collection.next_index, number(row, "collection", "nextIndex"));
  const bson::Value rules = row["collationRules"];
  if (rules.is_string() && rules.as_string() != query::Collator::rules_version()) {
    return error(Code::FileOpenFailed, "the keys of ", collection.ns, " have been collated by the rules of ICU ", rules.as_string(),
                 ", and this server has those of ", query::Collator::rules_version(), ", which may order them otherwise");
  }
  const bson::Value indexes = row["indexes"];
  if (!indexes.is_array()) return damaged("collection", "indexes");
  for (const auto& [name, index] : indexes.as_document()) {
    if (!index.is_document() || !index.as_document()["definition"].is_document()) return damaged("collection", "indexes");
    TRY(const std::uint32_t id, number(index.as_document(), "collection", "id"));
    collection.indexes.push_back({id, bson::Document(index.as_document()["definition"].as_document())});
  }
  return collection;
}

std::string PartitionRow::key(const Uuid& uuid, PartitionId id) { return partition_key(RowKind::kPartition, uuid, id); }

bson::Document PartitionRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("min", bson::Binary{0, min});
    if (segment) row.add("segment", static_cast<std::int64_t>(*segment));
    if (documents != 0) row.add("documents", documents);
    if (bytes != 0) row.add("bytes", bytes);
    row.add("created", created);
    if (origin) row.add("origin", static_cast<std::int64_t>(*origin));
    if (inherits.empty()) return;
    bson::ArrayWriter array = row.array("inherits");
    for (const PartitionId parent : inherits) array.push(static_cast<std::int64_t>(parent));
  });
}

Result<PartitionRow> PartitionRow::decode(bson::View row) {
  const bson::Value min = row["min"];
  if (!min.is(bson::Type::kBinary)) return damaged("partition", "min");
  PartitionRow partition{.min = std::string(min.as_binary().bytes)};
  if (row.has("segment")) {
    TRY(partition.segment, number(row, "partition", "segment"));
  }
  partition.documents = row["documents"].exact_int64().value_or(0);
  partition.bytes = row["bytes"].exact_int64().value_or(0);
  if (row["created"].is(bson::Type::kDate)) partition.created = row["created"].as_date();
  partition.inherits = read_ids(row["inherits"]);
  if (row.has("origin")) {
    TRY(const std::uint32_t origin, number(row, "partition", "origin"));
    partition.origin = PartitionId{origin};
  }
  return partition;
}

std::string PlanRow::key(const Uuid& uuid, PartitionId id) { return partition_key(RowKind::kPlan, uuid, id); }

bson::Document PlanRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("cut", bson::Binary{0, cut});
    bson::ArrayWriter array = row.array("makes");
    for (const PartitionId id : makes) array.push(static_cast<std::int64_t>(id));
  });
}

Result<PlanRow> PlanRow::decode(bson::View row) {
  const bson::Value cut = row["cut"];
  if (!cut.is(bson::Type::kBinary)) return damaged("plan", "cut");
  return PlanRow{std::string(cut.as_binary().bytes), read_ids(row["makes"])};
}

std::string EventRow::key(std::uint64_t number) {
  std::string key(1, static_cast<char>(RowKind::kEvent));
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift));
  return key;
}

bson::Document EventRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("time", time);
    row.add("what", what);
    row.add("ns", ns);
    row.add("details", details.view());
  });
}

Result<EventRow> EventRow::decode(bson::View row) {
  const bson::Value time = row["time"], what = row["what"], ns = row["ns"], details = row["details"];
  if (!time.is(bson::Type::kDate)) return damaged("event", "time");
  if (!what.is_string() || !ns.is_string()) return damaged("event", "what");
  if (!details.is_document()) return damaged("event", "details");
  return EventRow{time.as_date(), std::string(what.as_string()), std::string(ns.as_string()), bson::Document(details.as_document())};
}

std::string ViewRow::key(std::string_view ns) {
  std::string key(1, static_cast<char>(RowKind::kView));
  return key.append(ns);
}

bson::Document ViewRow::encode() const {
  return bson::Document::build([&](bson::Writer& row) { row.add("options", options.view()); });
}

Result<ViewRow> ViewRow::decode(bson::View row) {
  const bson::Value options = row["options"];
  if (!options.is_document()) return damaged("view", "options");
  const bson::View fields = options.as_document();
  if (!fields["viewOn"].is_string()) return damaged("view", "viewOn");
  if (!fields["pipeline"].is_array()) return damaged("view", "pipeline");
  return ViewRow{bson::Document(fields)};
}

Result<RowKey> RowKey::decode(Bytes key) {
  if (key.empty()) return damaged("key", "kind");
  RowKey row;
  row.kind = static_cast<RowKind>(key[0]);
  const bool of_partition = row.kind == RowKind::kPartition || row.kind == RowKind::kPlan;
  const std::array known{RowKind::kMeta, RowKind::kCollection, RowKind::kPartition, RowKind::kPlan, RowKind::kEvent, RowKind::kView};
  if (std::ranges::find(known, row.kind) == known.end()) {
    return error(Code::FileOpenFailed, "the catalog has a row of kind '", std::string_view(reinterpret_cast<const char*>(&key[0]), 1),
                 "', which only a later version can have written");
  }
  const bool has_uuid = row.kind == RowKind::kCollection || of_partition;
  if (has_uuid && key.size() < 1 + kUuidSize) return damaged("key", "uuid");
  if (has_uuid) std::memcpy(row.uuid.data(), key.data() + 1, kUuidSize);
  if (of_partition) {
    if (key.size() != 1 + kUuidSize + 4) return damaged("key", "partition");
    std::uint32_t id = 0;
    for (const std::uint8_t byte : key.subspan(1 + kUuidSize)) id = id << 8 | byte;
    row.partition = PartitionId{id};
  }
  if (row.kind == RowKind::kEvent) {
    if (key.size() != 1 + sizeof row.event) return damaged("key", "event");
    for (const std::uint8_t byte : key.subspan(1)) row.event = row.event << 8 | byte;
  }
  if (row.kind == RowKind::kView) row.ns = std::string_view(reinterpret_cast<const char*>(key.data()), key.size()).substr(1);
  return row;
}

}  // namespace partita::shards
