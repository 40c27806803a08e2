// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "commands/arguments.h"
#include "commands/coll_mod_index.h"
#include "commands/collection_options.h"
#include "commands/parallelism.h"
#include "commands/server.h"
#include "commands/validators.h"
#include "commands/views.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct CollModRequest {
  bson::Value degree, buffered, pipeline;
  std::optional<bson::View> validator;
  std::optional<std::string_view> level, action, view_on;
  std::optional<bool> split_logical;
  std::optional<bson::View> index;
  bool dry_run = false;
  std::optional<std::int64_t> capped_size, capped_max;
  bson::Value images, expire;

  AskedCap cap() const { return {capped_size, capped_max}; }
};

/// What MongoDB takes: known, and refused with the reason.
constexpr std::string_view kUnsupported[] = {
    "timeseries", "recordPreImages", "timeseriesBucketsMayHaveMixedSchemaData", "prepareUnique"};

const Arguments<CollModRequest> kArguments{
    {kDegreeName, &CollModRequest::degree},
    {kBufferedName, &CollModRequest::buffered},
    {"splitLogicalPartitions", &CollModRequest::split_logical},
    {"validator", &CollModRequest::validator},
    {"validationLevel", &CollModRequest::level},
    {"validationAction", &CollModRequest::action},
    {"viewOn", &CollModRequest::view_on},
    {"pipeline", &CollModRequest::pipeline},
    {"index", &CollModRequest::index},
    {"dryRun", &CollModRequest::dry_run},
    {"cappedSize", &CollModRequest::capped_size},
    {"cappedMax", &CollModRequest::capped_max},
    {"changeStreamPreAndPostImages", &CollModRequest::images},
    {"expireAfterSeconds", &CollModRequest::expire},
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

Status check_dry_run(const CollModRequest& request, const std::optional<IndexModification>& modification) {
  if (!request.dry_run) return {};
  if (!modification) return error(Code::InvalidOptions, "dry run mode requires an valid index modification.");
  if (!modification->unique) return error(Code::InvalidOptions, "dry run mode requires an index modification with unique: true.");
  return {};
}

/// A view is read as the collection is that it stands on.
Status refuse_of_collections(bson::View body) {
  constexpr std::string_view kOfCollections[] = {
      "validator", "validationLevel", "validationAction", "index", "expireAfterSeconds", "cappedSize", "cappedMax",
      "changeStreamPreAndPostImages", "splitLogicalPartitions", kDegreeName, kBufferedName};
  for (const bson::Field& field : body) {
    if (std::ranges::find(kOfCollections, field.name) == std::end(kOfCollections)) continue;
    return error(Code::InvalidOptions, "option not supported on a view: ", field.name);
  }
  return {};
}

/// What is not said stays as it was.
Status alter_view(Operation& operation, const shards::Namespace& ns, const shards::ViewRow& before, const CollModRequest& request) {
  CHECK_OK(refuse_of_collections(operation.body()));
  CHECK_OK(check_dry_run(request, std::nullopt));
  if (!request.pipeline.missing()) CHECK_OK(check_array("collMod", "pipeline", request.pipeline));
  if (request.view_on && request.view_on->empty()) return error(Code::BadValue, "'viewOn' cannot be empty");
  const shards::ViewRow row{bson::Document::build([&](bson::Writer& out) {
    out.add("viewOn", request.view_on.value_or(before.on()));
    out.add("pipeline", request.pipeline.missing() ? before.options["pipeline"] : request.pipeline);
    if (before.options.view().has("collation")) out.add("collation", before.options["collation"]);
  })};
  shards::Catalog& catalog = operation.server().store.catalog();
  CHECK_OK(check_view(operation, *catalog.share(), ns, row));
  return catalog.alter_view(ns, row.options.view());
}

/// An empty validator is none. As with MongoDB, who says something about one says it all: what is left out is as it was, or
/// what it is by default.
void change_validator(const CollModRequest& request, bson::View before, bson::Writer& out) {
  if (!request.validator && !request.level && !request.action) return;
  if (request.validator) request.validator->empty() ? out.add("validator", bson::Value::null()) : out.add("validator", *request.validator);
  const auto say = [&](std::string_view name, std::optional<std::string_view> said, std::string_view usual) {
    if (said || !before.has(name)) return out.add(name, said.value_or(usual));
    out.add(name, before[name]);
  };
  say("validationLevel", request.level, "strict");
  say("validationAction", request.action, "error");
}

/// What shall be kept of documents takes effect with the next insert.
Status check_cap(const CollModRequest& request, const shards::Collection* now) {
  CHECK_OK(request.cap().check("cappedSize", "cappedMax"));
  if (!request.cap().given() || now == nullptr || now->capped) return {};
  return error(Code::InvalidOptions, "cappedSize and cappedMax are only for capped collections, which ", now->ns.full(), " is not");
}

/// Seconds, or "off".
Status change_expiry(bson::Value asked, const shards::Collection* now, bson::Writer& changes) {
  constexpr std::string_view kName = "expireAfterSeconds";
  if (asked.missing() || now == nullptr) return {};
  if (now->clustered_index().empty()) {
    return error(Code::InvalidOptions, "'expireAfterSeconds' option is only supported on collections clustered by _id");
  }
  if (asked.is_string()) {
    if (asked.as_string() != "off") {
      return error(Code::InvalidOptions, "Invalid string value for the 'clusteredIndex::expireAfterSeconds' option. Got: '",
                   asked.as_string(), "'. Accepted value is 'off'");
    }
    changes.add(kName, bson::Value::null());
    return {};
  }
  std::int64_t seconds = 0;
  CHECK_OK(detail::read(seconds, asked, "collMod", kName));
  CHECK_OK(check_expiry(seconds));
  changes.add(kName, seconds);
  return {};
}

/// A null takes the default away again.
Status coll_mod(Operation& operation, bson::Writer& reply) {
  CHECK_OK(refuse_unsupported(operation.body()));
  TRY(const CollModRequest request, kArguments.parse("collMod", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  const ValidatorOptions validation{request.validator.value_or(bson::View()), request.level, request.action};
  CHECK_OK(check_validation_words("collMod", validation));
  const auto snapshot = operation.server().store.catalog().share();
  if (const shards::ViewRow* view = snapshot->view(ns.full())) return alter_view(operation, ns, *view, request);
  if (request.view_on || !request.pipeline.missing()) {
    return error(Code::InvalidOptions, "option only supported on a view: ", request.view_on ? "viewOn" : "pipeline");
  }
  CHECK_OK(parse_parallelism("collMod.maxDegreeOfParallelism", request.degree).status());
  CHECK_OK(parse_parallelism("collMod.maxBufferedItemCount", request.buffered).status());
  CHECK_OK(check_validator(operation, "collMod", ns, validation));
  const auto now = snapshot->share(ns.full());
  const bson::View before = now == nullptr ? bson::View() : now->options.view();
  CHECK_OK(check_cap(request, now.get()));
  TRY(const auto images, parse_images("collMod", request.images, ns));
  Status expiry;
  const bson::Document changes = bson::Document::build([&](bson::Writer& out) {
    request.cap().write(out);
    if (images && *images) out.document("changeStreamPreAndPostImages").add("enabled", true);
    if (images && !*images) out.add("changeStreamPreAndPostImages", bson::Value::null());
    expiry = change_expiry(request.expire, now.get(), out);
    change_validator(request, before, out);
    if (!request.degree.missing()) out.add(kDegreeName, request.degree);
    if (!request.buffered.missing()) out.add(kBufferedName, request.buffered);
  });
  CHECK_OK(std::move(expiry));
  std::optional<IndexModification> modification;
  if (request.index) {
    TRY(modification, IndexModification::parse(*request.index));
  }
  CHECK_OK(check_dry_run(request, modification));
  if (modification) CHECK_OK(modify_index(operation, ns, *modification, request.dry_run, reply));
  if (modification && changes.view().empty() && !request.split_logical) return {};
  if (request.split_logical) CHECK_OK(divide_keys(operation, ns, *request.split_logical));
  const auto go_on = [&] { return operation.check_interrupt(); };
  return operation.server().store.catalog().set_options(ns, changes, go_on);
}

const Register kCollMod{{
    .name = "collMod",
    .help = "Changes what queries on a collection that do not say so themselves are read by: maxDegreeOfParallelism, "
            "maxBufferedItemCount; splitLogicalPartitions: true lets the documents of one shard key be divided by their _id. "
            "cappedSize and cappedMax, changeStreamPreAndPostImages, expireAfterSeconds of a clustered collection. "
            "Of an index: hidden, expireAfterSeconds, prepareUnique and, behind that, unique.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = coll_mod,
}};

}  // namespace
}  // namespace partita::commands
