// SPDX-License-Identifier: GPL-3.0-or-later
//
// Merging by hand: mergeChunks of a mongos, by bounds, and our own, by the ids of partitions.
#include "commands/arguments.h"
#include "commands/partition_bounds.h"
#include "commands/server.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using shards::Balancer;
using shards::Collection;
using shards::PartitionId;

constexpr std::string_view kEffect =
    "The partitions would become one, by a change of the map: no document moves, writers wait for a moment.";
constexpr std::string_view kCopyEffect =
    "The partitions would become one, in tables of their own: their documents are copied while they are written to.";

Status bad(auto&&... parts) { return error(Code::BadValue, parts...); }

Status merge(Operation& operation, const Collection& collection, const std::vector<PartitionId>& partitions, bool dry_run,
             bool tell, bson::Writer& reply) {
  const auto go_on = [&] { return operation.check_interrupt(); };
  const auto manner = dry_run ? Balancer::Manner::kPreview : Balancer::Manner::kRun;
  TRY(const auto outcome, operation.server().store.balancer().merge(collection.ns, partitions, manner, go_on));
  return tell || dry_run ? write_outcome(collection, outcome, dry_run, outcome.copies ? kCopyEffect : kEffect, reply) : Status();
}

struct MergeChunksRequest {
  Documents bounds;
  bool dry_run = false;
};
const Arguments<MergeChunksRequest> kMergeChunksArguments{{"bounds", &MergeChunksRequest::bounds},
                                                          {"dryRun", &MergeChunksRequest::dry_run}};

/// The partitions from one bound to the other.
Result<std::vector<PartitionId>> between(const Collection& collection, bson::View lower, bson::View upper) {
  if (lower.empty()) return bad("no min key was specified");
  if (upper.empty()) return bad("no max key was specified");
  if (!fits_shard_key(collection, lower) || !fits_shard_key(collection, upper)) {
    return bad("shard key bounds [", bson::to_shell(lower), ",", bson::to_shell(upper), ") are not valid for shard key pattern ",
               bson::to_shell(collection.sharding->key.pattern()));
  }
  TRY(const std::string min, parse_bound(collection, lower));
  TRY(const std::string max, parse_bound(collection, upper));
  std::vector<PartitionId> partitions;
  std::size_t place = collection.slot_of(shards::bytes_of(min));
  const bool begins = collection.partitions[place].min == min;
  std::string reached = min;
  while (begins && place < collection.partitions.size() && (partitions.empty() || (!reached.empty() && (max.empty() || reached < max)))) {
    partitions.push_back(collection.partitions[place].partition->id());
    reached = collection.partitions[place++].max;
  }
  if (!begins || reached != max) {
    return bad("could not merge chunks, collection ", collection.ns.full(), " does not contain chunks that cover the range ",
               shown_range(collection, min, max));
  }
  if (partitions.size() < 2) {
    return error(Code::IllegalOperation, "could not merge chunks, collection ", collection.ns.full(), " already contains chunk for ",
                 shown_range(collection, min, max));
  }
  return partitions;
}

Status merge_chunks(Operation& operation, bson::Writer& reply) {
  TRY(const MergeChunksRequest request, kMergeChunksArguments.parse("mergeChunks", operation.request()));
  TRY(const auto collection, sharded_target(operation, "mergeChunks"));
  if (request.bounds.count() == 0) return bad("no bounds were specified");
  if (request.bounds.count() != 2) return bad("only a min and max bound may be specified");
  std::vector<bson::View> ends;
  CHECK_OK(request.bounds.for_each([&](bson::View end) -> Status {
    ends.push_back(end);
    return {};
  }));
  TRY(const std::vector<PartitionId> partitions, between(*collection, ends[0], ends[1]));
  return merge(operation, *collection, partitions, request.dry_run, false, reply);
}

struct MergePartitionsRequest {
  bson::Value partitions;
  bool dry_run = false;
};
const Arguments<MergePartitionsRequest> kMergePartitionsArguments{
    {"partitions", &MergePartitionsRequest::partitions, Rule::kRequired},
    {"dryRun", &MergePartitionsRequest::dry_run}};

Status merge_partitions(Operation& operation, bson::Writer& reply) {
  TRY(const MergePartitionsRequest request, kMergePartitionsArguments.parse("mergePartitions", operation.request()));
  CHECK_OK(check_array("mergePartitions", "partitions", request.partitions));
  TRY(const auto collection, sharded_target(operation, "mergePartitions"));
  std::vector<PartitionId> partitions;
  for (const auto& [name, value] : request.partitions.as_document()) {
    const auto id = value.exact_int64();
    if (!id || *id < 0 || *id > UINT32_MAX) return bad("'partitions.", name, "' is not the id of a partition: ", bson::to_shell(value));
    partitions.push_back(PartitionId{static_cast<std::uint32_t>(*id)});
  }
  return merge(operation, *collection, partitions, request.dry_run, true, reply);
}

const Register kMergeChunks{{
    .name = "mergeChunks",
    .help = "Merges the partitions that lie between two bounds.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = merge_chunks,
}};

const Register kMergePartitions{{
    .name = "mergePartitions",
    .help = "Merges neighbouring partitions, named by their ids in the order of the map; with dryRun it tells what would come of it.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = merge_partitions,
}};

}  // namespace
}  // namespace partita::commands
