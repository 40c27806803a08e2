// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "commands/arguments.h"
#include "commands/parallelism.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct CollModRequest {
  bson::Value degree, buffered;
  std::optional<bool> split_logical;
};

/// What MongoDB takes: known, and refused with the reason.
constexpr std::string_view kUnsupported[] = {
    "index", "validator", "validationLevel", "validationAction", "viewOn", "pipeline", "expireAfterSeconds", "timeseries",
    "cappedSize", "cappedMax", "changeStreamPreAndPostImages", "recordPreImages", "clusteredIndex", "dryRun",
    "timeseriesBucketsMayHaveMixedSchemaData", "prepareUnique"};

const Arguments<CollModRequest> kArguments{
    {kDegreeName, &CollModRequest::degree},
    {kBufferedName, &CollModRequest::buffered},
    {"splitLogicalPartitions", &CollModRequest::split_logical},
};

Status refuse_unsupported(bson::View body) {
  for (const bson::Field& field : body) {
    if (std::ranges::find(kUnsupported, field.name) == std::end(kUnsupported)) continue;
    return error(Code::CommandNotSupported, "'collMod.", field.name,
                 "' is not supported: a collection's options cannot be changed after its creation yet");
  }
  return {};
}

/// What outgrows a partition is divided by its _id from now on. There is no way back: documents of one key may lie apart.
Status divide_keys(Operation& operation, const shards::Namespace& ns, bool divides) {
  shards::Catalog& catalog = operation.server().store.catalog();
  const auto collection = catalog.share()->share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  const bool chosen = collection->sharding != nullptr && collection->sharding->split_logical;
  if (!divides && !chosen) return {};
  if (!divides) return error(Code::InvalidOptions, "collMod.splitLogicalPartitions cannot be taken back for ", ns.full());
  return catalog.alter_sharding(ns, [](shards::Sharding& sharding) { sharding.split_logical = true; },
                                [&] { return operation.check_interrupt(); });
}

/// A null takes the default away again.
Status coll_mod(Operation& operation, bson::Writer&) {
  CHECK_OK(refuse_unsupported(operation.body()));
  TRY(const CollModRequest request, kArguments.parse("collMod", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  CHECK_OK(parse_parallelism("collMod.maxDegreeOfParallelism", request.degree).status());
  CHECK_OK(parse_parallelism("collMod.maxBufferedItemCount", request.buffered).status());
  const bson::Document changes = bson::Document::build([&](bson::Writer& out) {
    if (!request.degree.missing()) out.add(kDegreeName, request.degree);
    if (!request.buffered.missing()) out.add(kBufferedName, request.buffered);
  });
  if (request.split_logical) CHECK_OK(divide_keys(operation, ns, *request.split_logical));
  const auto go_on = [&] { return operation.check_interrupt(); };
  return operation.server().store.catalog().set_options(ns, changes, go_on);
}

const Register kCollMod{{
    .name = "collMod",
    .help = "Changes what queries on a collection that do not say so themselves are read by: maxDegreeOfParallelism, "
            "maxBufferedItemCount; splitLogicalPartitions: true lets the documents of one shard key be divided by their _id.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .run = coll_mod,
}};

}  // namespace
}  // namespace partita::commands
