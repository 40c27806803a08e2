// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/aggregate_execution.h"
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/cursor_reply.h"
#include "commands/explain_pipeline.h"
#include "commands/geo_near_key.h"
#include "commands/server.h"
#include "commands/settings/sort_parameters.h"
#include "commands/source_stages.h"
#include "commands/variables.h"
#include "commands/views.h"
#include "query/stages/move_matches.h"
#include "shards/store.h"
#include "wire/bson/validate.h"

namespace partita::commands {
namespace {

struct AggregateRequest {
  bson::Value pipeline, cursor, hint, degree, buffered;
  bson::View collation, let;
  bool explain = false;
  bool disk_use = parameters::sort_limits().disk_use;
  bool bypass_validation = false;
  bool from_mongos = false;
  bool needs_merge = false;
};

const Arguments<AggregateRequest> kArguments{
    {"pipeline", &AggregateRequest::pipeline, Rule::kRequired},
    {"cursor", &AggregateRequest::cursor},
    {"hint", &AggregateRequest::hint},
    {"explain", &AggregateRequest::explain, Rule::kExact},
    {"allowDiskUse", &AggregateRequest::disk_use, Rule::kExact},
    {"collation", &AggregateRequest::collation},
    {"let", &AggregateRequest::let},
    {kDegreeName, &AggregateRequest::degree},
    {kBufferedName, &AggregateRequest::buffered},
    {"bypassDocumentValidation", &AggregateRequest::bypass_validation},
    {"fromMongos", &AggregateRequest::from_mongos, Rule::kExact},  // Between servers of a cluster; drivers' tests send it too.
    {"needsMerge", &AggregateRequest::needs_merge, Rule::kExact},
};

Status check_stages(bson::View stages) {
  for (const auto& [name, stage] : stages) {
    if (!stage.is_document()) return error(Code::TypeMismatch, "Each element of the 'pipeline' array must be an object");
  }
  return {};
}

/// Without a collection the rows must come from the first stage.
Status check_collectionless(bson::View stages) {
  if (stages.empty()) return error(Code::InvalidNamespace, "{aggregate: 1} is not valid for an empty pipeline.");
  const bson::View first = stages.begin()->value.as_document();
  if (first.empty() || is_source_stage(first) || first.has("$changeStream")) return {};
  return error(Code::InvalidNamespace, "{aggregate: 1} is not valid for '", first.begin()->name, "'; a collection is required.");
}

Result<shards::Namespace> pipeline_namespace(const Operation& operation) {
  if (!operation.target().is_number()) return operation.target_namespace(Code::TypeMismatch);
  if (operation.target().exact_int64() != 1) {
    return error(Code::FailedToParse, "Invalid command format: the 'aggregate' field must specify a collection name or 1");
  }
  return shards::Namespace(operation.db(), "$cmd.aggregate");
}

Result<AggregateRequest> parse(const Operation& operation) {
  TRY(const AggregateRequest request, kArguments.parse("aggregate", operation.request()));
  if (!request.pipeline.is_array()) return error(Code::TypeMismatch, "'pipeline' option must be specified as an array");
  if (request.needs_merge) {
    if (!request.from_mongos) return error(Code::FailedToParse, "Cannot specify 'needsMerge' without 'fromMongos'");
    return error(Code::NotImplemented, "aggregate.needsMerge is not supported");
  }
  if (!request.hint.missing()) CHECK_OK(check_hint(request.hint));
  const bson::View stages = request.pipeline.as_document();
  CHECK_OK(check_stages(stages));
  if (operation.target().exact_int64() == 1) CHECK_OK(check_collectionless(stages));
  return request;
}

Result<AskedParallelism> parallelism_of(const Operation& operation, const AggregateRequest& request) {
  return AskedParallelism::parse("aggregate", request.degree, request.buffered, operation.generic().comment);
}

Status explain_aggregate(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const AggregateRequest request, parse(operation));
  TRY(const shards::Namespace ns, pipeline_namespace(operation));
  TRY(const AskedParallelism asked, parallelism_of(operation, request));
  TRY(query::Collation order, collation_for(operation, request.collation, ns));
  TRY(const Variables variables, Variables::of(operation, request.let, std::move(order)));
  return explain_pipeline(operation, ns, {request.pipeline.as_document(), request.hint, asked, variables.context()}, verbosity, reply);
}

/// {aggregate: ..., explain: true}, older than the explain command.
Status answer_explained(Operation& operation, bson::Writer& reply) {
  CHECK_OK(explain_aggregate(operation, Verbosity::kQueryPlanner, reply));
  reply.add("command", operation.body());
  write_server_info(operation, reply);
  return {};
}

Status aggregate(Operation& operation, bson::Writer& reply) {
  TRY(const AggregateRequest request, parse(operation));
  TRY(const shards::Namespace ns, pipeline_namespace(operation));
  if (request.explain) return answer_explained(operation, reply);
  if (request.cursor.is_null()) return error(Code::TypeMismatch, "cursor field must be missing or an object");
  if (request.cursor.missing()) {
    return error(Code::FailedToParse, "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  TRY(const BatchLimits limits, parse_cursor_argument("aggregate", request.cursor));
  TRY(const AskedParallelism asked, parallelism_of(operation, request));
  const bson::View stages = request.pipeline.as_document();

  shards::Store& store = operation.server().store;
  // Some stages make the rows themselves; they stand first, and the rest of the pipeline works on what they made.
  TRY(std::optional<std::vector<bson::Document>> made, run_source_stage(operation, ns, stages));
  if (!made) made = config_view(operation.server(), ns);
  const bool drop_first = made && !stages.empty() && is_source_stage(stages.begin()->value.as_document());
  bson::Document kept = drop_first ? behind_source_stage(stages) : bson::Document(stages);
  const auto collection = made ? nullptr : store.catalog().snapshot().share(ns.full());
  if (!made) {
    TRY(kept, settle_geo_near(collection.get(), ns, stages));
  }
  TRY(query::Collation order, collation_for(operation, request.collation, ns));
  TRY(const Variables variables, Variables::of(operation, request.let, std::move(order)));
  query::ExpressionContext context = variables.context();
  const auto beside = std::make_shared<FoundMeta>(FoundMeta::Knows{});
  context.beside = beside;
  TRY(query::Pipeline pipeline, query::parse_with_moved_matches(kept, context));
  auto execution = std::make_unique<AggregateExecution>(std::move(kept), std::move(pipeline), request.disk_use ? &store.run_files() : nullptr, beside);
  if (made) {
    execution->open(std::move(*made));
  } else if (collection != nullptr) {
    CHECK_OK(execution->open(operation.plan_asker(), collection, request.hint, asked.over(*collection)));
  } else {
    execution->open({});
  }
  return answer_first_batch(operation, operation.answers_as(ns), std::move(execution), limits, {}, reply);
}

Result<bson::Document> aggregate_of_view(const Operation& operation, const ViewSource& source) {
  TRY(const AggregateRequest request, parse(operation));
  // It tells of the name that it is asked of.
  const bson::Value first = request.pipeline.as_document()["0"];
  if (first.is_document() && first.as_document().has("$collStats")) return bson::Document(operation.body());
  const auto own_stages = [&](bson::ArrayWriter& stages) {
    for (const bson::Field& stage : request.pipeline.as_document()) stages.push(stage.value);
  };
  const auto own_options = [&](bson::Writer& command) {
    for (const bson::Field& field : operation.body()) {
      const bool is_ours = field.name == "aggregate" || field.name == "pipeline" || field.name == "collation" || is_generic_argument(field.name);
      if (!is_ours) command.add(field);
    }
  };
  return view_pipeline(operation, source, own_stages, own_options);
}

const Register kAggregate{{
    .name = "aggregate",
    .help = "Runs a pipeline of stages over a collection and answers with what comes out.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .takes_read_concern = true,
    .takes_write_concern = true,
    .stable_api = true,
    .plans_anew = true,
    .on_view = {.pipeline = aggregate_of_view},
    .run = aggregate,
    .explain = explain_aggregate,
}};

}  // namespace
}  // namespace partita::commands
