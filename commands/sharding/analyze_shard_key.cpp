// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/sharding/key_sample.h"
#include "commands/sharding/shards.h"
#include "shards/snapshot/read_point.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kDefaultSample = 1'000'000;
constexpr std::size_t kMostCommon = 5;       ///< As many as MongoDB shows.
constexpr double kMonotonicFrom = 0.7;       ///< MongoDB's bound too.
constexpr std::int64_t kRowsBetweenLooks = 1000;

struct AnalyzeRequest {
  bson::View key;
  bool characteristics = true;
  std::optional<bool> distribution;
  bson::Value rate;
  std::optional<std::int64_t> size;
};
const Arguments<AnalyzeRequest> kArguments{
    {"key", &AnalyzeRequest::key, Rule::kRequired},
    {"keyCharacteristics", &AnalyzeRequest::characteristics},
    {"readWriteDistribution", &AnalyzeRequest::distribution},
    {"sampleRate", &AnalyzeRequest::rate},
    {"sampleSize", &AnalyzeRequest::size},
};

Status check(const AnalyzeRequest& request) {
  if (request.distribution.value_or(false)) {
    return error(Code::NotImplemented, "analyzeShardKey.readWriteDistribution is not supported: no queries are sampled; see partitionStats");
  }
  if (!request.characteristics) return error(Code::InvalidOptions, "Cannot skip analyzing all metrics");
  if (!request.rate.missing() && request.size) return error(Code::InvalidOptions, "Cannot specify both 'sampleRate' and 'sampleSize'");
  if (request.size && *request.size < 1) return error(Code::BadValue, "BSON field 'sampleSize' value must be >= 1, actual value '", *request.size, "'");
  if (request.rate.missing()) return {};
  const double rate = request.rate.is_number() ? request.rate.to_double().value_or(0) : 0;
  if (rate > 0 && rate <= 1) return {};
  return error(Code::BadValue, "BSON field 'sampleRate' value must be a number > 0 and <= 1");
}

/// The same fields without hashing: what is told is about values.
bson::Document plain_pattern(const query::ShardKey& key) {
  return bson::Document::build([&](bson::Writer& pattern) {
    for (const auto& field : key.fields()) pattern.add(field.path.text(), std::int32_t{1});
  });
}

/// Every so many-th document of the whole collection, at one point in time.
Status sample(Operation& operation, const shards::Collection& collection, double rate, KeySample& sample) {
  TRY(const shards::ReadPoint point, shards::ReadPoint::now(operation.server().store));
  std::int64_t seen = 0;
  for (const shards::PartitionSlot& slot : collection.partitions) {
    TRY(shards::Cursor rows, point.session().cursor(slot.partition->records()));
    CHECK_OK(rows.bound(shards::bytes_of(slot.min), true, shards::bytes_of(slot.max)));
    while (true) {
      TRY(const bool more, rows.next());
      if (!more) break;
      if (++seen % kRowsBetweenLooks == 0) CHECK_OK(operation.check_interrupt());
      const bool taken = static_cast<std::int64_t>(static_cast<double>(seen) * rate) >
                         static_cast<std::int64_t>(static_cast<double>(seen - 1) * rate);
      if (taken) CHECK_OK(sample.add(bson::View::trusted(rows.value().data())));
    }
    rows.reset();
  }
  return {};
}

/// Whether there can be but one document of each value.
bool is_unique(const shards::Collection& collection, bson::View plain) {
  if (plain.count() == 1 && plain.has("_id")) return collection.sharding == nullptr || collection.sharding->key.is_found_by_id();
  const auto same = [&](const auto& spec) { return spec->unique && spec->definition["key"].as_document() == plain; };
  return std::ranges::any_of(collection.indexes, same);
}

void write_monotonicity(bson::Writer& out, const query::ShardKey& key, const KeySample& sample) {
  bson::Writer monotonicity = out.document("monotonicity");
  const std::optional<double> coefficient = key.spreads() ? 0.0 : sample.correlation();
  if (coefficient) monotonicity.add("recordIdCorrelationCoefficient", *coefficient);
  monotonicity.add("type", !coefficient ? "unknown" : std::abs(*coefficient) >= kMonotonicFrom ? "monotonic" : "not monotonic");
}

Status analyze_shard_key(Operation& operation, bson::Writer& reply) {
  TRY(const AnalyzeRequest request, kArguments.parse("analyzeShardKey", operation.request()));
  TRY(const shards::Namespace ns, parse_full_name(operation));
  TRY(const query::ShardKey key, query::ShardKey::parse(request.key));
  CHECK_OK(check(request));
  const auto collection = operation.server().store.catalog().share()->share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "Cannot analyze a shard key for a non-existing collection ", ns.full());
  const shards::Growth size = collection->size();
  if (size.documents == 0) {
    return error(Code::IllegalOperation, "Cannot analyze the characteristics of a shard key for an empty collection");
  }
  const double wanted = static_cast<double>(request.size.value_or(kDefaultSample));
  const double rate = request.rate.missing() ? std::min(1.0, wanted / static_cast<double>(size.documents)) : *request.rate.to_double();
  const bson::Document plain = plain_pattern(key);
  TRY(const query::ShardKey values, query::ShardKey::parse(plain));
  KeySample found(values);
  CHECK_OK(sample(operation, *collection, rate, found));
  TRY(const auto common, found.most_common(kMostCommon));

  bson::Writer out = reply.document("keyCharacteristics");
  out.add("numDocsTotal", size.documents);
  out.add("avgDocSizeBytes", size.bytes / size.documents);
  out.add("numDocsSampled", found.documents());
  out.add("isUnique", is_unique(*collection, plain));
  out.add("numDistinctValues", found.distinct());
  {
    bson::ArrayWriter array = out.array("mostCommonValues");
    for (const KeySample::Common& one : common) {
      bson::Writer value = array.document();
      value.add("value", one.value.view());
      value.add("frequency", one.frequency);
    }
  }
  write_monotonicity(out, key, found);
  return {};
}

const Register kAnalyzeShardKey{{
    .name = "analyzeShardKey",
    .help = "What a collection's documents tell of a shard key: how many values it has, how common and how ordered they are.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = analyze_shard_key,
}};

}  // namespace
}  // namespace partita::commands
