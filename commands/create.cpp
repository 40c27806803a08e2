// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "commands/arguments.h"
#include "commands/collection_options.h"
#include "commands/config_views.h"
#include "commands/engine_options.h"
#include "commands/parallelism.h"
#include "commands/server.h"
#include "commands/validators.h"
#include "commands/views.h"
#include "shards/catalog/index_options.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

struct CreateRequest {
  bool capped = false;
  std::optional<std::int64_t> size, max, expire;
  bson::Value images;
  std::optional<bson::View> timeseries, collation, id_index;
  bson::View validator, storage_engine, index_defaults;
  std::optional<std::string_view> level, action, view_on;
  bson::Value pipeline, clustered, degree, buffered;
  bool auto_index = true;
  std::int64_t flags = 0;
};

const Arguments<CreateRequest> kArguments{
    {"capped", &CreateRequest::capped},
    {"size", &CreateRequest::size},
    {"max", &CreateRequest::max},
    {"timeseries", &CreateRequest::timeseries},
    {"validator", &CreateRequest::validator},
    {"validationLevel", &CreateRequest::level},
    {"validationAction", &CreateRequest::action},
    {"viewOn", &CreateRequest::view_on},
    {"pipeline", &CreateRequest::pipeline},
    {"collation", &CreateRequest::collation},
    {"clusteredIndex", &CreateRequest::clustered},
    {"expireAfterSeconds", &CreateRequest::expire},
    {"changeStreamPreAndPostImages", &CreateRequest::images},
    {"autoIndexId", &CreateRequest::auto_index},  // Of old servers: _id is always indexed.
    {"idIndex", &CreateRequest::id_index},        // What mongorestore sends back: {v: 2, key: {_id: 1}, name: "_id_"}.
    {"indexOptionDefaults", &CreateRequest::index_defaults},
    {"storageEngine", &CreateRequest::storage_engine},
    {kDegreeName, &CreateRequest::degree},
    {kBufferedName, &CreateRequest::buffered},
    {"flags", &CreateRequest::flags},  // Of old servers, without effect since long.
};

AskedCap cap_of(const CreateRequest& request) { return {request.size, request.max}; }

Status check(const CreateRequest& request) {
  CHECK_OK(cap_of(request).check("size", "max"));
  if (request.capped && !request.size) return error(Code::InvalidOptions, "the 'size' field is required when 'capped' is true");
  if (!request.capped && cap_of(request).given()) {
    return error(Code::InvalidOptions, "the 'capped' field needs to be true when either the 'size' or 'max' fields are present");
  }
  if (request.pipeline.missing()) return {};
  CHECK_OK(check_array("create", "pipeline", request.pipeline));
  if (!request.view_on) return error(Code::InvalidOptions, "'pipeline' requires 'viewOn' to also be specified");
  return {};
}

Status refuse_unsupported(const CreateRequest& request) {
  const auto refuse = [](std::string_view field) {
    return error(Code::InvalidOptions, "create.", field, " is not supported");
  };
  if (request.timeseries) return refuse("timeseries");
  if (!request.auto_index) return error(Code{50001}, "autoIndexId:false is not allowed: every collection has an index on _id");
  if (request.id_index) CHECK_OK(check_id_index_spec(*request.id_index));
  CHECK_OK(shards::check_storage_engine(request.storage_engine));
  for (const auto& [name, value] : request.index_defaults) {
    if (name != "storageEngine") return error(Code{40415}, "BSON field 'create.indexOptionDefaults.", name, "' is an unknown field.");
    if (!value.is_document()) return wrong_type("create", "indexOptionDefaults.storageEngine", value, "object");
    CHECK_OK(shards::check_storage_engine(value.as_document()));
  }
  return {};
}

/// What goes together with a clustered index, and what does not go without one.
Status check_clustered(const CreateRequest& request, bool clustered) {
  if (!clustered && request.expire) {
    return error(Code::InvalidOptions, "'expireAfterSeconds' is only supported on time-series collections or when the "
                 "'clusteredIndex' option is specified");
  }
  if (!clustered) return {};
  if (request.capped) {
    return error(Code{6127800}, "Clustered capped collection only available with 'enableTestCommands' server parameter");
  }
  if (request.id_index) {
    return error(Code::InvalidOptions, "The 'clusteredIndex' option is not supported with the 'idIndex' option");
  }
  return request.expire ? check_expiry(*request.expire) : Status();
}

/// As it is kept: with every option; null for none, and for {locale: "simple"}.
Result<query::Collation> collation_of(const CreateRequest& request) {
  if (!request.collation) return query::Collation();
  return query::Collator::make_default(*request.collation, "create.collation");
}

/// An index on _id that says nothing of it has the collection's.
Status check_id_index(const CreateRequest& request, const query::Collation& collation) {
  if (!request.id_index) return {};
  const bson::Value own = (*request.id_index)["collation"];
  if (!own.is_document()) return {};
  TRY(const query::Collation asked, query::Collator::make(own.as_document(), "create.idIndex.collation"));
  return agree(asked, collation) ? Status() : error(Code::BadValue, "'idIndex' must have the same collation as the collection.");
}

Status create_view(Operation& operation, const CreateRequest& request, const shards::Namespace& ns) {
  for (const auto& [name, given] : {std::pair{"capped", request.capped}, {"validator", !request.validator.empty()}, {"timeseries", request.timeseries.has_value()},
                                    {"expireAfterSeconds", request.expire.has_value()}, {"idIndex", request.id_index.has_value()}}) {
    if (given) return error(Code::InvalidOptions, "Invalid option '", name, "' for the view ", ns.full());
  }
  if (request.clustered.truthy()) return error(Code{6026500}, "The 'clusteredIndex' option is not supported with views");
  if (!request.images.missing() && !request.images.is_null()) {
    return error(Code::InvalidOptions, "option not supported on a view: changeStreamPreAndPostImages");
  }
  if (request.view_on->empty()) return error(Code::BadValue, "'viewOn' cannot be empty");
  TRY(const query::Collation collation, collation_of(request));
  shards::ViewRow row{bson::Document::build([&](bson::Writer& out) {
    out.add("viewOn", *request.view_on);
    request.pipeline.missing() ? out.array("pipeline").close() : out.add("pipeline", request.pipeline);
    if (collation != nullptr) out.add("collation", collation->spec());
  })};
  shards::Catalog& catalog = operation.server().store.catalog();
  const auto snapshot = catalog.share();
  if (snapshot->find(ns.full()) == nullptr && snapshot->view(ns.full()) == nullptr) CHECK_OK(check_view(operation, *snapshot, ns, row));
  return catalog.create_view(ns, row.options.view());
}

Status create(Operation& operation, bson::Writer&) {
  TRY(const CreateRequest request, kArguments.parse("create", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(check(request));
  CHECK_OK(check_validator(operation, "create", ns, {request.validator, request.level, request.action}));
  const bool is_profile = ns.collection() == Profiler::kCollection && !request.view_on;
  if (ns.is_system() && !is_profile) return error(Code::InvalidNamespace, "Invalid system namespace: ", ns.full());
  CHECK_OK(check_no_config_view(ns));
  if (request.view_on) return create_view(operation, request, ns);
  CHECK_OK(refuse_unsupported(request));
  TRY(const auto clustered, parse_clustered_index(request.clustered));
  CHECK_OK(check_clustered(request, clustered.has_value()));
  TRY(const auto images, parse_images("create", request.images, ns));
  TRY(const auto degree, parse_parallelism("create.maxDegreeOfParallelism", request.degree));
  TRY(const auto buffered, parse_parallelism("create.maxBufferedItemCount", request.buffered));
  TRY(const query::Collation collation, collation_of(request));
  CHECK_OK(check_id_index(request, collation));
  const bson::Document options = bson::Document::build([&](bson::Writer& out) {
    if (request.capped) out.add("capped", true);
    cap_of(request).write(out);
    if (images.value_or(false)) out.document("changeStreamPreAndPostImages").add("enabled", true);
    if (!request.validator.empty()) out.add("validator", request.validator);
    if (request.level) out.add("validationLevel", *request.level);
    if (request.action) out.add("validationAction", *request.action);
    if (clustered) out.add("clusteredIndex", *clustered);
    if (request.expire) out.add("expireAfterSeconds", *request.expire);
    if (collation != nullptr) out.add("collation", collation->spec());
    if (degree) add_number(out, kDegreeName, *degree);
    if (buffered) add_number(out, kBufferedName, *buffered);
  });
  CHECK_OK(operation.server().store.catalog().create(ns, options));
  return {};
}

const Register kCreate{{
    .name = "create",
    .help = "Makes a collection, or a view of one.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = create,
}};

}  // namespace
}  // namespace partita::commands
