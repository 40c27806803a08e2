// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/cursor_reply.h"
#include "commands/server.h"
#include "commands/sharding/shards.h"
#include "commands/version.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

using Rows = std::vector<bson::Document>;

struct ConsistencyRequest {
  bson::Value cursor;
  bool check_indexes = false;
};
const Arguments<ConsistencyRequest> kArguments{
    {"cursor", &ConsistencyRequest::cursor},
    {"checkIndexes", &ConsistencyRequest::check_indexes},  // All partitions share the definitions: looked at in any case.
};

/// What is wrong with one collection's map, gathered as checkMetadataConsistency tells it.
class MapCheck {
 public:
  MapCheck(shards::Engine& engine, const shards::Collection& collection, Rows& rows)
      : engine_(engine), collection_(collection), rows_(rows) {}

  void run() {
    const auto& slots = collection_.partitions;
    if (slots.empty()) return report("RoutingTableMissing", "the collection has no partition", nullptr);
    if (!slots.front().min.empty()) report("RoutingTableMissingMinKey", "the first partition does not begin at MinKey", &slots.front());
    if (!slots.back().max.empty()) report("RoutingTableMissingMaxKey", "the last partition does not end at MaxKey", &slots.back());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i > 0 && slots[i - 1].max < slots[i].min) report("RoutingTableRangeGap", "nothing serves the keys before it", &slots[i]);
      if (i > 0 && slots[i - 1].max > slots[i].min) report("RoutingTableRangeOverlap", "it begins within the one before", &slots[i]);
      check_partition(slots[i]);
    }
    check_segments();
  }

 private:
  void check_partition(const shards::PartitionSlot& slot) {
    if (collection_.sharding != nullptr && !shown_range(collection_, slot).ok()) {
      report("CorruptedChunkShardKey", "its bounds are no values of the shard key", &slot);
    }
    const shards::Sharding* sharding = collection_.sharding.get();
    if (sharding != nullptr && !sharding->divides_keys() && sharding->key.parts_logical_key(slot.min)) {
      report("CorruptedChunkShardKey", "it begins within a logical key, which shall lie in one partition", &slot);
    }
    const shards::Growth size = slot.partition->counters().total();
    if (size.documents < 0 || size.bytes < 0) report("NegativeCount", "it counts fewer documents than none", &slot);
    if (!engine_.file_size(slot.partition->records()).ok()) report("MissingLocalCollection", "its records have no table", &slot);
    if (slot.indexes.size() != collection_.indexes.size()) report("InconsistentIndex", "it lacks indexes of the collection", &slot);
    for (const auto& index : slot.indexes) {
      if (!engine_.file_size(index->table).ok()) report("InconsistentIndex", "an index of it has no table", &slot);
    }
    const bool claimed = slot.claims == shards::kNoTable || engine_.file_size(slot.claims).ok();
    if (!claimed) report("InconsistentIndex", "the claims of its _ids have no table", &slot);
  }
  /// Partitions of one segment are neighbours: its tables hold their rows and no others.
  void check_segments() {
    std::vector<shards::SegmentId> seen;
    for (const auto& run : collection_.runs()) {
      const shards::PartitionSlot& slot = collection_.partitions[run.first];
      const shards::SegmentId segment = slot.partition->segment();
      if (std::ranges::find(seen, segment) != seen.end()) report("MisplacedCollection", "it shares tables with partitions that are no neighbours", &slot);
      seen.push_back(segment);
    }
  }
  void report(std::string_view type, std::string_view description, const shards::PartitionSlot* slot) {
    rows_.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("type", type);
      row.add("description", description);
      bson::Writer details = row.document("details");
      details.add("namespace", collection_.ns.full());
      details.uuid("collectionUUID", collection_.uuid);
      details.add("shard", kNodeName);
      if (slot != nullptr) details.add("partition", static_cast<std::int64_t>(slot->partition->id()));
    }));
  }

  shards::Engine& engine_;
  const shards::Collection& collection_;
  Rows& rows_;
};

/// All of the server on admin, else a database, else one collection of it.
Result<std::vector<std::shared_ptr<const shards::Collection>>> find_checked(Operation& operation) {
  const auto snapshot = operation.server().store.catalog().settled();
  const bson::Value target = operation.target();
  if (!target.is_string()) return operation.db() == "admin" ? snapshot->all() : snapshot->collections(operation.db());
  TRY(const shards::Namespace ns, shards::Namespace::make(operation.db(), target.as_string()));
  std::vector<std::shared_ptr<const shards::Collection>> one{snapshot->share(ns.full())};
  if (one.front() == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  return one;
}

Status check_metadata_consistency(Operation& operation, bson::Writer& reply) {
  TRY(const ConsistencyRequest request, kArguments.parse("checkMetadataConsistency", operation.request()));
  TRY(const BatchLimits limits, parse_cursor_argument("checkMetadataConsistency", request.cursor));
  TRY(const auto collections, find_checked(operation));
  Rows rows;
  for (const auto& collection : collections) {
    CHECK_OK(operation.check_interrupt());
    MapCheck(operation.server().store.engine(), *collection, rows).run();
  }
  const shards::Namespace ns(operation.db(), "$cmd.aggregate");
  return answer_documents(operation, ns, std::move(rows), limits, reply);
}

const Register kCheckMetadataConsistency{{
    .name = "checkMetadataConsistency",
    .help = "Whether partitions tile the key space, and each has its tables: answers what is wrong.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .run = check_metadata_consistency,
}};

}  // namespace
}  // namespace partita::commands
