// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/cursor_reply.h"
#include "commands/explain_pipeline.h"
#include "commands/plan.h"
#include "commands/scan_source.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "query/stages/pipeline.h"
#include "shards/store.h"
#include "wire/bson/validate.h"

namespace partita::commands {
namespace {

struct AggregateRequest {
  bson::Value pipeline, cursor, hint;
  bson::View collation, let;
  bool explain = false;
  bool disk_use = true;
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
    {"bypassDocumentValidation", &AggregateRequest::bypass_validation},
    {"fromMongos", &AggregateRequest::from_mongos, Rule::kExact},  // Between servers of a cluster; drivers' tests send it too.
    {"needsMerge", &AggregateRequest::needs_merge, Rule::kExact},
};

/// A pipeline at work for one cursor.
class AggregateExecution final : public Execution {
 public:
  AggregateExecution(bson::Document stages, query::Pipeline pipeline)
      : stages_(std::move(stages)), pipeline_(std::move(pipeline)) {}

  /// Reads from a collection.
  Status open(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection, bson::Value hint) {
    static const query::SortSpec kAnyOrder;
    const query::Matcher* filter = pipeline_.leading_filter();
    const query::SortSpec* sort = pipeline_.leading_sort();
    TRY(const query::Matcher everything, query::Matcher::parse(bson::View()));
    const query::FilterTree& tree = filter == nullptr ? everything.tree() : filter->tree();
    TRY(Plan plan, choose_plan(*collection, tree, sort == nullptr ? kAnyOrder : *sort, hint));
    plan_ = plan.text;
    // Rows that come in order need not wait for one another: a $limit behind ends the walk.
    if (sort != nullptr && plan.sorted) pipeline_.drop_leading_sort();
    std::optional<query::FieldSet> fields = pipeline_.needed_fields();
    auto source = std::make_unique<ScanSource>(store, collection, std::move(plan.order), std::move(fields));
    source_ = source.get();
    stream_ = pipeline_.whole().open(std::move(source), control_);
    return {};
  }
  /// Reads documents that are there already.
  void open(std::vector<bson::Document> documents) {
    documents_ = std::move(documents);
    documents_bytes_ = size_of(documents_);
    std::vector<bson::View> views(documents_.begin(), documents_.end());
    stream_ = pipeline_.whole().open(std::make_unique<query::VectorSource>(std::move(views)), control_);
  }

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override {
    BatchFill fill(batch, limits);
    if (source_ != nullptr) source_->serve(operation);
    control_->set_interrupt([&operation] { return operation.check_interrupt(); });
    Status status = fill_from_stream(fill);
    control_->set_interrupt({});
    if (source_ != nullptr) source_->suspend();
    return status;
  }
  bool exhausted() const override { return ended_; }
  std::size_t memory() const override { return control_->used() + documents_bytes_; }
  std::string plan_summary() const override { return plan_; }
  std::int64_t keys_examined() const override { return source_ == nullptr ? 0 : source_->scan().keys_examined(); }
  std::int64_t documents_examined() const override {
    return source_ == nullptr ? 0 : source_->scan().documents_examined();
  }

 private:
  Status fill_from_stream(BatchFill& fill) {
    while (!ended_) {
      if (next_ == rows_.size()) {
        // Only asked for when wanted, so that a full batch does not wait for a row of the next one.
        if (fill.full()) return {};
        CHECK_OK(stream_->pull(rows_));
        next_ = 0;
        ended_ = rows_.empty();
        continue;
      }
      if (fill.full()) return {};
      const bson::View document = rows_.rows[next_].document;
      CHECK_OK(check_result_size(document.size()));
      if (!fill.fits(document.size())) return {};
      fill.add(document);
      ++next_;
    }
    return {};
  }

  const bson::Document stages_;  ///< The pipeline points into it.
  query::Pipeline pipeline_;
  std::vector<bson::Document> documents_;
  std::size_t documents_bytes_ = 0;
  std::shared_ptr<query::RunControl> control_ = std::make_shared<query::RunControl>();
  ScanSource* source_ = nullptr;
  query::Source stream_;
  query::Batch rows_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::string plan_ = "EOF";
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
  if (!request.collation.empty()) return error(Code::NotImplemented, "aggregate.collation is not supported");
  CHECK_OK(refuse_variables("aggregate", request.let));
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

Status explain_aggregate(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const AggregateRequest request, parse(operation));
  TRY(const shards::Namespace ns, pipeline_namespace(operation));
  return explain_pipeline(operation, ns, request.pipeline.as_document(), request.hint, verbosity, reply);
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
  const bson::View stages = request.pipeline.as_document();

  shards::Store& store = operation.server().store;
  // Some stages make the rows themselves; they stand first, and the rest of the pipeline works on what they made.
  TRY(std::optional<std::vector<bson::Document>> made, run_source_stage(operation, ns, stages));
  if (!made) made = config_view(operation.server(), ns);
  const bool drop_first = made && !stages.empty() && is_source_stage(stages.begin()->value.as_document());
  bson::Document kept = drop_first ? behind_source_stage(stages) : bson::Document(stages);
  TRY(query::Pipeline pipeline, query::Pipeline::parse(kept.view(), {.random_seed = store.random().next()}));
  auto execution = std::make_unique<AggregateExecution>(std::move(kept), std::move(pipeline));
  if (made) {
    execution->open(std::move(*made));
  } else if (const auto collection = store.catalog().snapshot().share(ns.full())) {
    CHECK_OK(execution->open(store, collection, request.hint));
  } else {
    execution->open({});
  }
  return answer_first_batch(operation, ns, std::move(execution), limits, {}, reply);
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
    .run = aggregate,
    .explain = explain_aggregate,
}};

}  // namespace
}  // namespace partita::commands
