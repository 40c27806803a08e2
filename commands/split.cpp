// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splitting by hand: in the words of a mongos, whose chunks are our partitions, and in our own.
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
using shards::PartitionSlot;

constexpr std::string_view kEffect =
    "The partition would become two, by a change of the map: no document moves, writers wait for a moment.";

struct SplitRequest {
  bson::View find;
  Documents bounds;
  bson::View middle;
  bool dry_run = false;
};
const Arguments<SplitRequest> kSplitArguments{{"find", &SplitRequest::find},
                                              {"bounds", &SplitRequest::bounds},
                                              {"middle", &SplitRequest::middle},
                                              {"dryRun", &SplitRequest::dry_run}};

Status bad(auto&&... parts) { return error(Code::BadValue, parts...); }

Status check(const SplitRequest& request) {
  const bool finds = !request.find.empty();
  const bool bounds = request.bounds.count() > 0;
  const bool middle = !request.middle.empty();
  if (bounds && request.bounds.count() < 2) return bad("upper bound not specified");
  if (finds && bounds) return bad("cannot specify bounds and find at the same time");
  if (!finds && !bounds && !middle) return bad("need to specify find/bounds or middle");
  if (finds && middle) return bad("cannot specify find and middle together");
  if (bounds && middle) return bad("cannot specify bounds and middle together");
  return {};
}

/// What a filter's field must be equal to; missing where it says something else.
bson::Value asked_for(bson::Value value) {
  if (value.is_document() && value.as_document().has("$eq")) value = value.as_document()["$eq"];
  const bool operators = value.is_document() && !value.as_document().empty() &&
                         value.as_document().begin()->name.starts_with('$');
  return operators || value.is_array() ? bson::Value() : value;
}

/// The logical key that a filter names by equality; the record key when it names the _id too.
Result<std::string> key_of(const Collection& collection, bson::View filter) {
  const query::ShardKey& key = collection.sharding->key;
  std::vector<bson::Value> values;
  for (const auto& field : key.fields()) {
    bson::Value value = filter[field.path.text()];
    if (value.missing()) {
      std::size_t part = 0;
      value = query::descend(filter, field.path, part);
    }
    value = asked_for(value);
    if (value.missing()) return bad("no shard key found in chunk query ", bson::to_shell(filter));
    values.push_back(value);
  }
  const bson::Value id = asked_for(filter["_id"]);
  bson::Buffer record_key;
  key.append(values, id.missing() ? bson::Value::null() : id, record_key, collection.collation.get());
  if (!id.missing()) return std::string(record_key.text());
  return std::string(record_key.text().substr(0, key.logical_size(record_key.bytes())));
}

/// Of the partitions that hold a key, the largest: there are several where keys are divided.
const PartitionSlot& find_largest(const Collection& collection, const std::string& key) {
  const PartitionSlot* largest = &collection.locate(shards::bytes_of(key));
  for (const PartitionSlot* slot = largest; slot->max.starts_with(key);) {
    ++slot;
    if (slot->partition->counters().total().bytes > largest->partition->counters().total().bytes) largest = slot;
  }
  return *largest;
}

struct Chosen {
  const PartitionSlot* slot = nullptr;
  std::optional<std::string> at;
};

Result<Chosen> choose_by_bounds(const Collection& collection, const Documents& bounds) {
  std::vector<bson::View> ends;
  CHECK_OK(bounds.for_each([&](bson::View end) -> Status {
    ends.push_back(end);
    return {};
  }));
  if (!fits_shard_key(collection, ends[0]) || !fits_shard_key(collection, ends[1])) {
    return bad("shard key bounds [", bson::to_shell(ends[0]), ",", bson::to_shell(ends[1]), ") are not valid for shard key pattern ",
               bson::to_shell(collection.sharding->key.pattern()));
  }
  TRY(const std::string min, parse_bound(collection, ends[0]));
  TRY(const std::string max, parse_bound(collection, ends[1]));
  const PartitionSlot& slot = collection.locate(shards::bytes_of(min));
  if (slot.min == min && slot.max == max) return Chosen{&slot, {}};
  return bad("no chunk found with the shard key bounds ", shown_range(collection, min, max));
}

Result<Chosen> choose_by_middle(const Collection& collection, bson::View middle) {
  if (!fits_shard_key(collection, middle)) {
    return bad("new split key ", bson::to_shell(middle), " is not valid for shard key pattern ",
               bson::to_shell(collection.sharding->key.pattern()));
  }
  TRY(std::string at, collection.sharding->key.parse_bound(middle, collection.collation.get()));
  const PartitionSlot& slot = collection.locate(shards::bytes_of(at));
  if (slot.min == at) {
    return bad("new split key ", bson::to_shell(middle), " is a boundary key of existing chunk ",
               shown_range(collection, slot.min, slot.max));
  }
  return Chosen{&slot, std::move(at)};
}

Result<Chosen> choose(const Collection& collection, const SplitRequest& request) {
  if (!request.middle.empty()) return choose_by_middle(collection, request.middle);
  if (request.bounds.count() > 0) return choose_by_bounds(collection, request.bounds);
  TRY(const std::string key, key_of(collection, request.find));
  return Chosen{&find_largest(collection, key), {}};
}

Status split(Operation& operation, bson::Writer& reply) {
  TRY(const SplitRequest request, kSplitArguments.parse("split", operation.request()));
  Balancer& balancer = operation.server().store.balancer();
  const auto go_on = [&] { return operation.check_interrupt(); };
  const auto manner = request.dry_run ? Balancer::Manner::kPreview : Balancer::Manner::kRun;
  while (true) {
    TRY(const auto collection, sharded_target(operation, "split"));
    CHECK_OK(check(request));
    TRY(const Chosen chosen, choose(*collection, request));
    const auto outcome = balancer.split(collection->ns, chosen.slot->partition->id(), chosen.at, manner, go_on);
    if (outcome.ok()) return request.dry_run ? write_outcome(*collection, *outcome, true, kEffect, reply) : Status();
    if (outcome.status().code() == Code::CannotSplit) {
      return error(Code::CannotSplit, "Unable to find median in chunk because chunk is indivisible.");
    }
    // Somebody else has split or merged the partition since it was chosen: then another one is meant now.
    const auto now = operation.server().store.catalog().share()->share(collection->ns.full());
    if (outcome.status().code() != Code::BadValue || now == collection) return outcome.status();
    CHECK_OK(go_on());
  }
}

struct SplitPartitionRequest {
  std::int64_t partition = 0;
  bson::View at;
  bool dry_run = false;
};
const Arguments<SplitPartitionRequest> kSplitPartitionArguments{
    {"partition", &SplitPartitionRequest::partition, Rule::kRequired},
    {"at", &SplitPartitionRequest::at},
    {"dryRun", &SplitPartitionRequest::dry_run}};

Status split_partition(Operation& operation, bson::Writer& reply) {
  TRY(const SplitPartitionRequest request, kSplitPartitionArguments.parse("splitPartition", operation.request()));
  TRY(const auto collection, sharded_target(operation, "splitPartition"));
  std::optional<std::string> at;
  if (!request.at.empty()) {
    TRY(at, collection->sharding->key.parse_bound(request.at, collection->collation.get()));
  }
  if (request.partition < 0 || request.partition > UINT32_MAX) return bad("'partition' is not the id of one: ", request.partition);
  const shards::PartitionId id{static_cast<std::uint32_t>(request.partition)};
  const auto go_on = [&] { return operation.check_interrupt(); };
  const auto manner = request.dry_run ? Balancer::Manner::kPreview : Balancer::Manner::kRun;
  TRY(const auto outcome, operation.server().store.balancer().split(collection->ns, id, at, manner, go_on));
  TRY(const bson::Document cut, collection->sharding->key.bound(shards::bytes_of(outcome.parts[1].min), bson::Type::kMinKey));
  reply.add("partition", request.partition);
  reply.add("cut", cut.view());
  return write_outcome(*collection, outcome, request.dry_run, kEffect, reply);
}

const Register kSplit{{
    .name = "split",
    .help = "Splits the partition that find, bounds or middle name, in the middle or at middle.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = split,
}};

const Register kSplitPartition{{
    .name = "splitPartition",
    .help = "Splits a partition in the middle of its bytes, or where 'at' says; with dryRun it tells what would come of it.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = split_partition,
}};

}  // namespace
}  // namespace partita::commands
