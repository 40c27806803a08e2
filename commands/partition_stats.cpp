// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "commands/wall_time.h"
#include "shards/balance/balancer.h"
#include "shards/partitions/count_keys.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using shards::Collection;
using shards::PartitionSlot;
using Rows = std::vector<bson::Document>;

constexpr std::size_t kKeysShown = 5;

/// Of files that partitions share, by their bytes of documents.
struct Files {
  std::int64_t records = 0;
  std::int64_t indexes = 0;
  shards::Growth rows;  ///< Of all partitions in them.
  std::size_t partitions = 0;

  std::int64_t share(std::int64_t size, const shards::Growth& part) const {
    const double of_all = rows.bytes > 0 ? static_cast<double>(part.bytes) / static_cast<double>(rows.bytes)
                                         : 1.0 / static_cast<double>(partitions);
    return static_cast<std::int64_t>(static_cast<double>(size) * of_all);
  }
};

/// What keeps every _id unique has one row for each document of the collection.
class ClaimsFile {
 public:
  static Result<ClaimsFile> of(shards::Engine& engine, const Collection& collection) {
    ClaimsFile file;
    const shards::TableId table = collection.partitions.front().claims;
    if (table == shards::kNoTable) return file;
    TRY(file.bytes_, engine.file_size(table));
    file.documents_ = std::max<std::int64_t>(collection.size().documents, 1);
    return file;
  }
  std::int64_t share(const shards::Growth& part) const {
    return static_cast<std::int64_t>(static_cast<double>(bytes_) * static_cast<double>(part.documents) / static_cast<double>(documents_));
  }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t documents_ = 1;
};

Result<Files> files_of(shards::Engine& engine, const Collection& collection, const Collection::Run& run) {
  Files files;
  files.partitions = run.end - run.first;
  const PartitionSlot& slot = collection.partitions[run.first];
  TRY(files.records, engine.file_size(slot.partition->records()));
  for (const auto& index : slot.indexes) {
    TRY(const std::int64_t size, engine.file_size(index->table));
    files.indexes += size;
  }
  for (std::size_t i = run.first; i < run.end; ++i) files.rows += collection.partitions[i].partition->counters().total();
  return files;
}

/// Records of a collection that is not sharded are divided, if at all, by their _id.
const query::ShardKey& key_of(const Collection& collection) {
  static const query::ShardKey kById = [] {
    const bson::Document pattern = bson::Document::build([](bson::Writer& out) { out.add("_id", std::int32_t{1}); });
    return *query::ShardKey::parse(pattern);
  }();
  return collection.sharding != nullptr ? collection.sharding->key : kById;
}

/// What is known too roughly to be told, after a start or in a partition that was made of others, is counted when somebody
/// asks, unless that takes long.
Status know_keys(Operation& operation, const Collection& collection, const PartitionSlot& slot) {
  constexpr std::int64_t kMostCounted = 256 << 20;
  if (collection.sharding == nullptr || collection.sharding->key.has_id()) return {};
  const std::int64_t bytes = slot.partition->counters().total().bytes;
  const std::int64_t of_unknown_key = slot.partition->activity().bound(0, {}).weight;
  if (bytes > kMostCounted || of_unknown_key <= bytes / 8) return {};
  return shards::count_keys(operation.server().store, *slot.partition, [&] { return operation.check_interrupt(); });
}

Status write_keys(bson::Writer& row, const query::ShardKey& key, const shards::Activity& activity) {
  {
    bson::ArrayWriter array = row.array("largestKeys");
    // Where the _id is part of the key, a key is one document.
    const auto largest = key.has_id() ? std::vector<shards::KeySketch::Entry>() : activity.largest(kKeysShown);
    for (const auto& entry : largest) {
      TRY(const bson::Document value, key.values(shards::bytes_of(entry.key)));
      bson::Writer one = array.document();
      one.add("key", value.view());
      add_number(one, "bytes", entry.weight);
      one.add("exact", entry.exact);
    }
  }
  bson::ArrayWriter array = row.array("hottestKeys");
  for (const auto& entry : activity.hottest(kKeysShown)) {
    TRY(const bson::Document value, key.values(shards::bytes_of(entry.key)));
    bson::Writer one = array.document();
    one.add("key", value.view());
    add_number(one, "operations", entry.weight);
  }
  return {};
}

using Jobs = std::vector<std::shared_ptr<const shards::BalanceJob>>;

void write_job(bson::Writer out, const shards::BalanceJob& job) {
  constexpr std::array<std::string_view, 4> kPhases{"waiting", "scanning", "catching up", "publishing"};
  const auto age = std::chrono::steady_clock::now() - job.started;
  out.add("kind", job.kind == shards::BalanceJob::Kind::kSplit ? "split" : "merge");
  out.add("phase", kPhases[static_cast<std::size_t>(job.phase.load())]);
  add_number(out, "bytesDone", job.bytes_done.load());
  add_number(out, "bytesTotal", job.bytes_total.load());
  out.add("automatic", job.automatic);
  add_number(out, "millis", std::chrono::duration_cast<std::chrono::milliseconds>(age).count());
}

Status write_partition(bson::Writer& row, const Collection& collection, const PartitionSlot& slot, const Files& files,
                       const ClaimsFile& claims, const Jobs& jobs) {
  const query::ShardKey& key = key_of(collection);
  const shards::Growth size = slot.partition->counters().total();
  const shards::Activity& activity = slot.partition->activity();
  add_number(row, "partition", static_cast<std::int64_t>(slot.partition->id()));
  row.add("ns", collection.ns.full());
  TRY(const bson::Document min, key.bound(shards::bytes_of(slot.min), bson::Type::kMinKey));
  TRY(const bson::Document max, key.bound(shards::bytes_of(slot.max), slot.max.empty() ? bson::Type::kMaxKey : bson::Type::kMinKey));
  row.add("min", min.view());
  row.add("max", max.view());
  // Whose tables hold rows of others too, until it moves out.
  row.add("state", files.partitions == 1 ? "open" : "sharing");
  add_number(row, "documents", size.documents);
  add_number(row, "bytes", size.bytes);
  add_number(row, "indexBytes", files.share(files.indexes, size) + claims.share(size));
  add_number(row, "storageBytes", files.share(files.records, size));
  const auto operations = activity.operations();
  {
    bson::Writer counts = row.document("operations");
    add_number(counts, "reads", operations.reads);
    add_number(counts, "writes", operations.writes);
    add_number(counts, "total", operations.reads + operations.writes);
  }
  CHECK_OK(write_keys(row, key, activity));
  {
    bson::ArrayWriter array = row.array("splitsInProgress");
    for (const auto& job : jobs) {
      if (std::ranges::find(job->partitions, slot.partition->id()) != job->partitions.end()) write_job(array.document(), *job);
    }
  }
  row.add("created", slot.created);
  const std::int64_t age_ms = slot.created.ms_since_epoch == 0 ? 0 : now_as_date().ms_since_epoch - slot.created.ms_since_epoch;
  add_number(row, "ageSeconds", std::max<std::int64_t>(age_ms, 0) / 1000);
  add_number(row, "segment", static_cast<std::int64_t>(slot.partition->segment()));
  add_number(row, "segmentPartitions", static_cast<std::int64_t>(files.partitions));
  return {};
}

Result<Rows> describe_partitions(Operation& operation, const shards::Namespace& ns) {
  shards::Store& store = operation.server().store;
  const auto collection = store.catalog().share()->share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "Collection [", ns.full(), "] not found.");
  const Jobs jobs = store.balancer().jobs();
  TRY(const ClaimsFile claims, ClaimsFile::of(store.engine(), *collection));
  Rows rows;
  for (const Collection::Run& run : collection->runs()) {
    CHECK_OK(operation.check_interrupt());
    TRY(const Files files, files_of(store.engine(), *collection, run));
    for (std::size_t i = run.first; i < run.end; ++i) {
      CHECK_OK(know_keys(operation, *collection, collection->partitions[i]));
      Status status;
      rows.push_back(bson::Document::build(
          [&](bson::Writer& row) { status = write_partition(row, *collection, collection->partitions[i], files, claims, jobs); }));
      CHECK_OK(std::move(status));
    }
  }
  return rows;
}

Result<Rows> partition_stats_stage(Operation& operation, const shards::Namespace& ns, bson::Value specification) {
  if (!specification.is_document()) {
    return error(Code::TypeMismatch, "$partitionStats must take an object but found: ", specification.type_name());
  }
  if (!specification.as_document().empty()) return unknown_field("$partitionStats", specification.as_document().begin()->name);
  if (!operation.target().is_string()) return error(Code::InvalidNamespace, "$partitionStats is for a collection's pipeline");
  return describe_partitions(operation, ns);
}

Status partition_stats(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("partitionStats", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  TRY(const Rows rows, describe_partitions(operation, ns));
  reply.add("ns", ns.full());
  bson::ArrayWriter array = reply.array("partitions");
  for (const bson::Document& row : rows) array.push(row.view());
  return {};
}

const RegisterSourceStage kPartitionStatsStage{{
    .name = "$partitionStats",
    .help = "A collection's partitions: ranges, sizes, operations, and the keys that take the most of each.",
    .run = partition_stats_stage,
}};

const Register kPartitionStats{{
    .name = "partitionStats",
    .help = "The same as the stage $partitionStats.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .run = partition_stats,
}};

}  // namespace
}  // namespace partita::commands
