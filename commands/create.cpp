// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct CreateRequest {
  bson::Value capped, size, max, timeseries, validator, view_on, collation, clustered, expire;
  bson::View storage_engine;
};

const Arguments<CreateRequest> kArguments{
    {"capped", &CreateRequest::capped},
    {"size", &CreateRequest::size},
    {"max", &CreateRequest::max},
    {"timeseries", &CreateRequest::timeseries},
    {"validator", &CreateRequest::validator},
    {"validationLevel", nullptr},   // Says how to use a validator: refused together with that.
    {"validationAction", nullptr},  // The same.
    {"viewOn", &CreateRequest::view_on},
    {"pipeline", nullptr},  // A view's: refused with viewOn.
    {"collation", &CreateRequest::collation},
    {"clusteredIndex", &CreateRequest::clustered},
    {"expireAfterSeconds", &CreateRequest::expire},
    {"autoIndexId", nullptr},  // Of old servers: _id is always indexed.
    {"idIndex", nullptr},      // What mongorestore sends back: {v: 2, key: {_id: 1}, name: "_id_"}.
    {"indexOptionDefaults", &CreateRequest::storage_engine},
    {"storageEngine", &CreateRequest::storage_engine},
    {"flags", nullptr},  // Of old servers, without effect since long.
};

Status refuse_unsupported(const CreateRequest& request) {
  const auto refuse = [](std::string_view field) {
    return error(Code::InvalidOptions, "create.", field, " is not supported");
  };
  if (request.capped.truthy()) return refuse("capped");
  if (!request.timeseries.missing()) return refuse("timeseries");
  if (!request.validator.missing() && !(request.validator.is_document() && request.validator.as_document().empty())) {
    return refuse("validator");
  }
  if (!request.view_on.missing()) return refuse("viewOn");
  if (!request.collation.missing()) return refuse("collation");
  if (!request.clustered.missing() && !request.clustered.is_bool()) return refuse("clusteredIndex");
  if (!request.expire.missing()) return refuse("expireAfterSeconds");
  if (!request.size.missing() || !request.max.missing()) {
    return error(Code::InvalidOptions, "the 'size' and 'max' fields are only allowed when 'capped' is true");
  }
  return {};
}

Status create(Operation& operation, bson::Writer&) {
  TRY(const CreateRequest request, kArguments.parse("create", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(refuse_unsupported(request));
  if (ns.is_system()) return error(Code::InvalidNamespace, "Invalid system namespace: ", ns.full());
  CHECK_OK(operation.server().store.catalog().create(ns, bson::View()));
  return {};
}

const Register kCreate{{
    .name = "create",
    .help = "Makes a collection.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .run = create,
}};

}  // namespace
}  // namespace partita::commands
