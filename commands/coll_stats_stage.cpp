// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "commands/storage_stats.h"
#include "commands/version.h"
#include "commands/wall_time.h"
#include "shards/store.h"
#include "wire/bson/json.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

constexpr std::string_view kStage = "$collStats";

struct CollStatsOptions {
  bool count = false;
  bool latency = false;
  bool histograms = false;
  bool storage = false;
  std::int64_t scale = 1;
};

Status parse_storage(bson::View options, CollStatsOptions& to) {
  to.storage = true;
  const bson::Value scale = options["scale"];
  if (!scale.missing()) CHECK_OK(detail::read(to.scale, scale, "$collStats.storageStats", "scale"));
  return parse_scale(to.scale).status();
}

Status parse_latency(bson::View options, CollStatsOptions& to) {
  to.latency = true;
  for (const auto& [name, value] : options) {
    if (name != "histograms") return unknown_field("$collStats.latencyStats", name);
    if (!value.is_bool()) {
      return error(Code::TypeMismatch, "Field 'histograms' should be a boolean value, but found: ", value.type_name());
    }
    to.histograms = value.as_bool();
  }
  return {};
}

Status parse_count(bson::View options, CollStatsOptions& to) {
  to.count = true;
  if (options.empty()) return {};
  return error(Code{31170}, "expected an empty object, but got ", bson::to_shell(bson::Value::of(options)));
}

Result<CollStatsOptions> parse(bson::Value specification) {
  if (!specification.is_document()) {
    return error(Code{5447000}, kStage, " must take a nested object but found: ", kStage, ": ", bson::to_shell(specification));
  }
  CollStatsOptions options;
  for (const auto& [name, value] : specification.as_document()) {
    bson::View inside;
    if (name != "count" && name != "latencyStats" && name != "storageStats" && name != "queryExecStats") {
      return unknown_field(kStage, name);
    }
    if (!value.is_document()) return wrong_type(kStage, name, value, "object");
    inside = value.as_document();
    if (name == "count") CHECK_OK(parse_count(inside, options));
    if (name == "latencyStats") CHECK_OK(parse_latency(inside, options));
    if (name == "storageStats") CHECK_OK(parse_storage(inside, options));
    if (name == "queryExecStats") return error(Code::NotImplemented, "$collStats.queryExecStats is not supported");
  }
  return options;
}

/// Stretches in which there was something.
void write_histogram(const NamespaceTimes::Histogram& histogram, bson::Writer& out) {
  bson::ArrayWriter list = out.array("histogram");
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    bson::Writer one = list.document();
    one.add("micros", NamespaceTimes::kBegins[i]);
    one.add("count", histogram[i]);
  }
}

/// `histograms` may be null.
void write_latency(bson::Writer& row, const NamespaceTimes::Usages& usages, const NamespaceTimes::Histograms* histograms) {
  using Kind = NamespaceTimes::Kind;
  bson::Writer latency = row.document("latencyStats");
  const auto group = [&](std::string_view name, std::initializer_list<Kind> kinds) {
    const NamespaceTimes::Usage sum = NamespaceTimes::sum(usages, kinds);
    bson::Writer entry = latency.document(name);
    if (histograms != nullptr) {
      static constexpr NamespaceTimes::Histogram kNone{};
      write_histogram(kinds.size() == 0 ? kNone : (*histograms)[static_cast<std::size_t>(NamespaceTimes::group_of(*kinds.begin()))], entry);
    }
    entry.add("latency", sum.micros);
    entry.add("ops", sum.count);
  };
  group("reads", {Kind::kQuery, Kind::kGetMore});
  group("writes", {Kind::kInsert, Kind::kUpdate, Kind::kRemove});
  group("commands", {Kind::kCommand});
  group("transactions", {});
}

Status check_exists(const shards::Namespace& ns, const shards::Collection* collection, std::string_view what) {
  if (collection != nullptr) return {};
  return error(Code::NamespaceNotFound, "PlanExecutor error during aggregation :: caused by :: Unable to retrieve ", what,
               " in $collStats stage :: caused by :: Collection [", ns.full(), "] not found.");
}

Result<std::vector<bson::Document>> coll_stats(Operation& operation, const shards::Namespace& ns,
                                               bson::Value specification) {
  TRY(const CollStatsOptions options, parse(specification));
  CHECK_OK(check_asks_collection(operation, kStage));
  Server& server = operation.server();
  const auto snapshot = server.store.catalog().share();
  if (options.count || options.storage) CHECK_OK(snapshot->check_no_view(ns));
  const auto collection = snapshot->share(ns.full());
  if (options.count) CHECK_OK(check_exists(ns, collection.get(), "count"));
  CollectionSizes sizes;
  if (options.storage) {
    CHECK_OK(check_exists(ns, collection.get(), "storageStats"));
    TRY(sizes, CollectionSizes::of(server.store.engine(), *collection, CollectionSizes::Detail::kReusable));
  }
  std::vector<bson::Document> rows;
  rows.push_back(bson::Document::build([&](bson::Writer& row) {
    row.add("ns", ns.full());
    row.add("shard", kNodeName);
    row.add("host", host_and_port(server.settings.net.port));
    row.add("localTime", now_as_date());
    if (options.latency) {
      const auto histograms = server.namespace_times.histograms_of(ns.full());
      write_latency(row, server.namespace_times.of(ns.full()), options.histograms ? &histograms : nullptr);
    }
    if (options.storage) {
      bson::Writer storage = row.document("storageStats");
      write_collection_sizes(storage, *collection, sizes, options.scale);
    }
    if (options.count) add_number(row, "count", collection->size().documents);
  }));
  return rows;
}

const RegisterSourceStage kCollStats{{
    .name = kStage,
    .help = "How large a collection is, how many documents it has, how long operations on it took.",
    .run = coll_stats,
}};

}  // namespace
}  // namespace partita::commands
