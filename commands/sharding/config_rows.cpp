// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/config_rows.h"

#include "commands/host.h"
#include "commands/server.h"
#include "commands/settings/parameters.h"
#include "commands/sharding/shards.h"
#include "commands/version.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

using Documents = std::vector<bson::Document>;

bson::Timestamp timestamp_of(bson::Date date) { return {static_cast<std::uint32_t>(date.ms_since_epoch / 1000), 1}; }

/// The same for a partition as long as it lives: when it was made, whose it is, its number.
bson::ObjectId chunk_id(const shards::Collection& collection, const shards::PartitionSlot& slot) {
  bson::ObjectId id{};
  const std::uint32_t parts[3] = {timestamp_of(slot.created).seconds, 0, static_cast<std::uint32_t>(slot.partition->id())};
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<std::uint8_t>(parts[i / 4] >> (24 - 8 * (i % 4)));
  std::copy_n(collection.uuid.begin(), 4, id.bytes.begin() + 4);
  return id;
}

bson::Document chunk_row(const shards::Collection& collection, const shards::PartitionSlot& slot, const ShownRange& range) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("_id", chunk_id(collection, slot));
    row.uuid("uuid", collection.uuid);
    row.add("min", range.min.view());
    row.add("max", range.max.view());
    row.add("shard", kNodeName);
    row.add("lastmod", chunk_version(slot));
    row.add("onCurrentShardSince", timestamp_of(slot.created));
    {
      bson::ArrayWriter history = row.array("history");
      bson::Writer since = history.document();
      since.add("validAfter", timestamp_of(slot.created));
      since.add("shard", kNodeName);
    }
    row.add("partition", static_cast<std::int64_t>(slot.partition->id()));
  });
}

bson::Document collection_row(const shards::Collection& collection) {
  const shards::Sharding& sharding = *collection.sharding;
  return bson::Document::build([&](bson::Writer& row) {
    row.add("_id", collection.ns.full());
    row.add("lastmodEpoch", sharding.epoch);
    row.add("lastmod", bson::Date{sharded_at(collection).seconds * std::int64_t{1000}});
    row.add("timestamp", sharded_at(collection));
    row.uuid("uuid", collection.uuid);
    row.add("key", sharding.key.pattern());
    row.add("unique", sharding.unique);
    row.add("noBalance", sharding.no_balance);
    if (sharding.no_auto_merge) row.add("enableAutoMerge", false);
    row.add("allowMigrations", sharding.allow_migrations);
    if (sharding.unique_id) row.add("uniqueId", true);
    if (sharding.split_logical) row.add("splitLogicalPartitions", true);
  });
}

/// A parameter of another part of the server: on unless it says otherwise.
bool is_on(std::string_view name) {
  const parameters::Parameter* parameter = parameters::find(name);
  return parameter == nullptr || parameter->value().get().truthy();
}

}  // namespace

Documents config_collections(Server& server) {
  Documents rows;
  for (const auto& collection : server.store.catalog().share()->all()) {
    if (collection->sharding != nullptr) rows.push_back(collection_row(*collection));
  }
  return rows;
}

Documents config_chunks(Server& server) {
  Documents rows;
  for (const auto& collection : server.store.catalog().share()->all()) {
    if (collection->sharding == nullptr) continue;
    for (const shards::PartitionSlot& slot : collection->partitions) {
      // A bound that cannot be shown is damage, which checkMetadataConsistency reports; the others are shown all the same.
      const Result<ShownRange> range = shown_range(*collection, slot);
      if (range.ok()) rows.push_back(chunk_row(*collection, slot, *range));
    }
  }
  return rows;
}

Documents config_changelog(Server& server) {
  Documents rows;
  const std::string host = host_and_port(server.settings.net.port);
  for (const auto& [number, event] : server.store.catalog().events()) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("_id", ::partita::detail::join(host, "-", event.time.ms_since_epoch, "-", number));
      row.add("server", host);
      row.add("shard", kNodeName);
      row.add("clientAddr", "");
      row.add("time", event.time);
      row.add("what", event.what);
      row.add("ns", event.ns);
      row.add("details", event.details.view());
    }));
  }
  return rows;
}

Documents config_settings(Server& server) {
  Documents rows;
  const auto add = [&](std::string_view id, auto&& fill) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("_id", id);
      fill(row);
    }));
  };
  add("automerge", [](bson::Writer& row) { row.add("enabled", is_on("enableAutoMerge")); });
  add("autosplit", [](bson::Writer& row) { row.add("enabled", is_on("enableAutoSplit")); });
  add("balancer", [&](bson::Writer& row) {
    const bool stopped = !server.store.balancer().active();
    row.add("mode", stopped ? "off" : "full");
    row.add("stopped", stopped);
  });
  if (const parameters::Parameter* limit = parameters::find("partitionSizeLimitBytes")) {
    constexpr double kMegabyte = 1 << 20;
    add("chunksize", [&](bson::Writer& row) { row.add("value", limit->value().get().to_double().value_or(0) / kMegabyte); });
  }
  return rows;
}

}  // namespace partita::commands
