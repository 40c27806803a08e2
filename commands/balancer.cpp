// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether the server splits and merges partitions of its own accord.
#include "commands/arguments.h"
#include "commands/partition_bounds.h"
#include "commands/server.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct BalancerRequest {
  std::int64_t max_time_ms = 0;
  bool dry_run = false;
};
const Arguments<BalancerRequest> kArguments{{"maxTimeMS", &BalancerRequest::max_time_ms},
                                            {"dryRun", &BalancerRequest::dry_run}};

Status set(Operation& operation, std::string_view command, bool active, bson::Writer& reply) {
  TRY(const BalancerRequest request, kArguments.parse(command, operation.request()));
  shards::Balancer& balancer = operation.server().store.balancer();
  if (!request.dry_run) return balancer.set_active(active);
  reply.add("dryRun", true);
  reply.add("effect", balancer.active() == active ? "Nothing would change."
                      : active                    ? "Partitions would be split and merged automatically."
                                                  : "Partitions would not be split and merged automatically any more.");
  return {};
}

Status start(Operation& operation, bson::Writer& reply) { return set(operation, "balancerStart", true, reply); }
Status stop(Operation& operation, bson::Writer& reply) { return set(operation, "balancerStop", false, reply); }

Status status(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("balancerStatus", operation.request()));
  const shards::Balancer& balancer = operation.server().store.balancer();
  reply.add("mode", balancer.active() ? "full" : "off");
  reply.add("inBalancerRound", !balancer.jobs().empty());
  reply.add("numBalancerRounds", balancer.figures().rounds);
  return {};
}

Status collection_status(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("balancerCollectionStatus", operation.request()));
  TRY(const auto collection, sharded_target(operation, "balancerCollectionStatus"));
  const std::int64_t limit = operation.server().store.balancer().options().partition_bytes.load();
  std::int64_t over = 0;
  for (const shards::PartitionSlot& slot : collection->partitions) over += slot.partition->counters().total().bytes >= limit ? 1 : 0;
  constexpr double kMegabyte = 1 << 20;
  reply.add("chunkSize", static_cast<double>(limit) / kMegabyte);
  reply.add("balancerCompliant", over == 0);
  if (over == 0) return {};
  reply.add("firstComplianceViolation", "partitionSizeLimitBytes");
  bson::Writer details = reply.document("details");
  details.add("partitionsOverLimit", over);
  return {};
}

const Register kStart{{
    .name = "balancerStart",
    .help = "Lets the server split and merge partitions of its own accord.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = start,
}};

const Register kStop{{
    .name = "balancerStop",
    .help = "Keeps the server from splitting and merging partitions, until balancerStart; by hand it goes on.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = stop,
}};

const Register kStatus{{
    .name = "balancerStatus",
    .help = "Whether partitions are split and merged automatically, and whether one is being so now.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = status,
}};

const Register kCollectionStatus{{
    .name = "balancerCollectionStatus",
    .help = "Whether all partitions of a sharded collection are within the limit of their size.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = collection_status,
}};

}  // namespace
}  // namespace partita::commands
