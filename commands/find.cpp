// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/cursor_reply.h"
#include "commands/explain.h"
#include "commands/express.h"
#include "commands/find_execution.h"
#include "commands/find_fan_out.h"
#include "commands/key_bounds.h"
#include "commands/plan.h"
#include "commands/settings/sort_parameters.h"
#include "commands/server.h"
#include "commands/tail_execution.h"
#include "commands/variables.h"
#include "commands/view_query.h"
#include "commands/views.h"
#include "query/match/geo.h"
#include "shards/placement/placement.h"
#include "shards/router/record_keys.h"
#include "shards/store.h"
#include "wire/saturating.h"

namespace partita::commands {
namespace {

struct FindRequest {
  bson::View filter, sort, projection, let, collation, min, max;
  bson::Value hint, degree, buffered;
  std::int64_t skip = 0;
  std::int64_t limit = 0;
  std::optional<std::int64_t> batch_size;
  bool single_batch = false;
  bool return_key = false;
  bool show_record_id = false;
  bool tailable = false;
  bool await_data = false;
  bool no_timeout = false;
  bool partial_results = false;
  bool disk_use = parameters::sort_limits().disk_use;
  bool oplog_replay = false;
  bool read_once = false;
  std::optional<std::int64_t> to_return;
  bool sorted = false;  ///< By whatever: that of $natural is a hint from then on.

  KeyBounds bounds() const { return {min, max}; }
};

const Arguments<FindRequest> kArguments{
    {"filter", &FindRequest::filter, Rule::kExact},
    {"sort", &FindRequest::sort, Rule::kExact},
    {"projection", &FindRequest::projection, Rule::kExact},
    {"hint", &FindRequest::hint},
    {"skip", &FindRequest::skip},
    {"limit", &FindRequest::limit},
    {"batchSize", &FindRequest::batch_size},
    {"singleBatch", &FindRequest::single_batch, Rule::kExact},
    {"let", &FindRequest::let},
    {"collation", &FindRequest::collation, Rule::kExact},
    {"min", &FindRequest::min, Rule::kExact},
    {"max", &FindRequest::max, Rule::kExact},
    {"returnKey", &FindRequest::return_key, Rule::kExact},
    {"showRecordId", &FindRequest::show_record_id, Rule::kExact},
    {"tailable", &FindRequest::tailable, Rule::kExact},
    {"awaitData", &FindRequest::await_data, Rule::kExact},
    {"noCursorTimeout", &FindRequest::no_timeout, Rule::kExact},
    {"allowPartialResults", &FindRequest::partial_results, Rule::kExact},
    {"allowDiskUse", &FindRequest::disk_use, Rule::kExact},
    {kDegreeName, &FindRequest::degree},
    {kBufferedName, &FindRequest::buffered},
    {"oplogReplay", &FindRequest::oplog_replay, Rule::kExact},  // Of old drivers, without effect since long.
    {"ntoreturn", &FindRequest::to_return},  // Of old drivers.
    {"readOnce", &FindRequest::read_once, Rule::kExact},  // That pages need not stay in the cache, which this one decides itself.
};

/// An io core reads no more than this many rows for one find; anything longer is a worker's.
constexpr std::int64_t kRowsOnCore = 128;
/// The same where nobody knows how many there are: what is lost when a worker has to begin anew.
constexpr std::int64_t kRowsOnGuess = 50;
/// A document of many megabytes keeps a core from its other connections for as long as thousands of small ones.
constexpr std::size_t kMostBytesOnCore = 1 << 20;

/// Documents are shown as they come.
Status check_tailable(const FindRequest& request) {
  if (request.single_batch) return error(Code::BadValue, "cannot use tailable option with the 'singleBatch' option");
  const bool forward = request.sort.empty() || (request.sort.count() == 1 && request.sort["$natural"].exact_int64() == 1);
  if (!forward) return error(Code::BadValue, "cannot use tailable option with a sort other than {$natural: 1}");
  const auto refuse = [](std::string_view field) {
    return error(Code::BadValue, "cannot use tailable option with ", field, ": documents are shown as they have been inserted");
  };
  if (request.bounds().given()) return refuse("min or max");
  if (request.return_key) return refuse("returnKey");
  if (!request.hint.is_document()) return {};
  const bson::Value natural = request.hint.as_document()["$natural"];
  return natural.missing() || natural.exact_int64() == 1 ? Status() : refuse("a hint of {$natural: -1}");
}

Status check_numbers(const FindRequest& request) {
  const auto negative = [](std::string_view field, std::int64_t value) {
    return error(Code{51024}, "BSON field '", field, "' value must be >= 0, actual value '", value, "'");
  };
  if (request.skip < 0) return negative("skip", request.skip);
  if (request.limit < 0) return negative("limit", request.limit);
  if (request.batch_size.value_or(0) < 0) return negative("batchSize", *request.batch_size);
  if (request.to_return.value_or(0) < 0) return negative("ntoreturn", *request.to_return);
  return {};
}

Status check(const FindRequest& request) {
  CHECK_OK(check_numbers(request));
  if (!request.hint.missing()) CHECK_OK(check_hint(request.hint));
  CHECK_OK(request.bounds().check());
  if (request.to_return && (request.limit != 0 || request.batch_size)) {
    return error(Code::BadValue, "'limit' or 'batchSize' fields can not be set with 'ntoreturn' field.");
  }
  if (request.to_return) return error(Code{5746102}, "the ntoreturn find command parameter is not supported when FCV >= 5.1");
  if (request.tailable) return check_tailable(request);
  if (request.await_data) return error(Code::FailedToParse, "Cannot set 'awaitData' without also setting 'tailable'");
  return {};
}

/// One document by its record key: one descent, and the reply is copied once, out of the engine's page.
Status find_one_by_key(Operation& operation, const shards::Collection& collection, shards::Bytes key,
                       const ShownDocuments& shown, bson::ArrayWriter& batch) {
  TRY(const shards::PartitionSlot* slot, shards::Placement::locate(collection, key).here());
  TRY(const shards::SessionLease session, shards::SessionLease::take(operation.server().store.engine()));
  TRY(shards::Cursor cursor, session->cursor(slot->partition->records()));
  TRY(const bool there, cursor.find(key));
  slot->partition->activity().count(shards::Activity::Kind::kRead);
  if (slot->sharding != nullptr) slot->partition->activity().note_read(key, slot->sharding->key);
  if (there && !operation.on_worker() && cursor.value().size() > kMostBytesOnCore) return operation.to_worker();
  OperationStats& stats = operation.stats();
  stats.plan_summary = "IDHACK";
  if (!there) return {};
  stats.documents.keys_examined = stats.documents.docs_examined = stats.documents.returned = 1;
  const bson::View document = bson::View::trusted(cursor.value().data());
  if (shown.as_they_are()) {
    batch.push(document);
    return {};
  }
  ShownDocuments::Scratch scratch;
  bson::Writer out = batch.document();
  const std::size_t begin = batch.buffer().size() - sizeof(std::uint32_t);
  CHECK_OK(shown.add(document, nullptr, out, scratch));
  out.close();
  return check_result(bson::View::trusted(batch.buffer().data() + begin));
}

/// The context's $text is that of the filter.
Result<ShownDocuments> parse_shown(const FindRequest& request, query::ExpressionContext context, bool near = false) {
  ShownDocuments shown{.return_key = request.return_key, .show_record_id = request.show_record_id && !request.return_key};
  if (request.projection.empty()) return shown;
  shown.beside = std::make_shared<FoundMeta>(FoundMeta::Knows{.sorted = request.sorted, .near = near});
  context.beside = shown.beside;
  TRY(shown.projection, query::Projection::parse_for_find(request.projection, context));
  CHECK_OK(check_projection_for_find(*shown.projection, request.sorted, {.near = near, .texts = context.text != nullptr}));
  return shown;
}

Status express(Operation& operation, const FindRequest& request, const shards::Namespace& ns, const query::Collation& collation,
               const shards::Collection* there, shards::Bytes key, bson::Writer& reply) {
  ShownDocuments shown;
  const bool plain = request.projection.empty() && request.let.empty() && !request.return_key && !request.show_record_id;
  if (!plain) {
    TRY(const Variables variables, Variables::of(operation, request.let, collation));
    TRY(shown, parse_shown(request, variables.context()));
  }
  query::SortSpec sort;
  if (!request.sort.empty()) {  // One document is in order, but what was asked for has to mean something.
    TRY(sort, query::SortSpec::parse(request.sort, collation));
  }
  if (shown.wants_metadata()) {
    auto shared = operation.server().store.catalog().snapshot().share(ns.full());
    shown.know(std::make_unique<FindMetadata>(std::move(shared), sort, nullptr));
  }
  if (there == nullptr) return write_empty_cursor(ns, reply);
  bson::Writer cursor = reply.document("cursor");
  {
    bson::ArrayWriter batch = cursor.array("firstBatch");
    CHECK_OK(find_one_by_key(operation, *there, key, shown, batch));
  }
  cursor.add("id", std::int64_t{0});
  cursor.add("ns", ns.full());
  return {};
}

Result<FindQuery> parse_query(Operation& operation, const FindRequest& request, const query::Collation& collation) {
  TRY(const Variables variables, Variables::of(operation, request.let, collation));
  TRY(query::Matcher matcher, query::Matcher::parse(request.filter, variables.context(), query::FilterUse::kQuery));
  FindQuery query{.matcher = std::move(matcher)};
  TRY(query.shown, parse_shown(request, variables.beside(query.matcher.tree()), query.matcher.tree().near != nullptr));
  if (query.shown.projection) CHECK_OK(check_positional(*query.shown.projection, query.matcher.tree()));
  TRY(query.sort, query::parse_order(request.sort, query.matcher.tree()));
  query.skip = static_cast<std::uint64_t>(request.skip);
  query.limit = static_cast<std::uint64_t>(request.limit);
  query.disk_use = request.disk_use;
  return query;
}

Status find_in_view(Operation& operation, const FindRequest& request, const shards::Namespace& ns,
                    std::vector<bson::Document> view, bson::Writer& reply) {
  TRY(const query::Collation collation, collation_for(request.collation, nullptr));
  TRY(FindQuery query, parse_query(operation, request, collation));
  query.shown.know(std::make_unique<FindMetadata>(nullptr, query.sort, nullptr));
  TRY(auto rows, select(std::move(view), query));
  BatchLimits limits;
  if (request.batch_size) limits.documents = *request.batch_size;
  return answer_documents(operation, ns, std::move(rows), limits, reply);
}

Result<AskedParallelism> parallelism_of(const Operation& operation, const FindRequest& request) {
  return AskedParallelism::parse("find", request.degree, request.buffered, operation.generic().comment);
}

/// Metadata is made of whole documents.
PlanNeeds needs_of(const FindQuery& query) {
  PlanNeeds needs;
  const ShownDocuments& shown = query.shown;
  std::vector<std::string> paths;
  needs.key_alone = shown.return_key && !(shown.projection && shown.projection->asks_for_meta());
  if (shown.projection && !shown.wants_metadata() && shown.projection->collect_paths(paths)) needs.paths = std::move(paths);
  return needs;
}

Result<Plan> plan_for(Operation& operation, const std::shared_ptr<const shards::Collection>& collection,
                      const FindRequest& request, const FindQuery& query) {
  if (request.bounds().given() && query.matcher.tree().text != nullptr) return error(Code::BadValue, "text and hint not allowed in same query");
  if (request.bounds().given()) return choose_bounded_plan(collection, request.bounds(), query.matcher.tree().collation, query.sort, request.hint);
  return choose_plan(operation.plan_asker(), collection, query.matcher, query.sort, request.hint, needs_of(query));
}

Status check_can_tail(const FindRequest& request, const shards::Collection* collection) {
  if (!request.tailable || collection == nullptr || collection->capped) return {};
  return error(Code::BadValue, "error processing query: tailable cursor requested on non capped collection");
}

/// Stays open behind the last document, unless there is none at all.
Status tail(Operation& operation, const FindRequest& request, std::shared_ptr<const shards::Collection> collection, FindQuery query,
            const BatchLimits& limits, bson::Writer& reply) {
  const bool any = collection->size().documents != 0;
  const shards::Namespace ns = collection->ns;
  auto execution = std::make_unique<TailExecution>(operation.server().store, std::move(collection), std::move(query), request.await_data);
  return answer_first_batch(operation, ns, std::move(execution), limits, {.single_batch = !any, .no_timeout = request.no_timeout}, reply);
}

/// What an io core may take for the first batch, without a worker's help; nullopt: nothing. A bounded stretch of an ordered
/// table is read on the spot, and a walk over ranges that seems to be short.
std::optional<FindExecution::Budget> budget_for(const FindRequest& request, const BatchLimits& limits, const shards::Collection& collection,
                                                const FindQuery& query, const Plan& plan) {
  if (request.partial_results || request.tailable || query.sort.near() != nullptr) return std::nullopt;
  const bool narrow = !plan.order.ranges.empty();
  const bool limited = request.limit > 0 && saturating_add(request.limit, request.skip) <= kRowsOnCore;
  if (limited && plan.sorted && (narrow || query.matcher.matches_everything())) return FindExecution::Budget{2 * kRowsOnCore, kMostBytesOnCore};
  if (!narrow || collection.partitions.size() > 1 || query.matcher.tree().text != nullptr) return std::nullopt;
  if (limits.documents < kRowsOnGuess && plan.may_come_to_merge(collection)) return std::nullopt;
  WalkLength& guess = WalkLength::of(collection, plan.order);
  if (!guess.seems_short()) return std::nullopt;
  return FindExecution::Budget{kRowsOnGuess, kMostBytesOnCore, &guess};
}

Status find(Operation& operation, bson::Writer& reply) {
  TRY(FindRequest request, kArguments.parse("find", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(check(request));
  request.sorted = !request.sort.empty();
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  TRY(const AskedParallelism asked, parallelism_of(operation, request));
  shards::Store& store = operation.server().store;
  const shards::CatalogSnapshot& catalog = store.catalog().snapshot();
  if (auto view = config_view(operation.server(), ns)) return find_in_view(operation, request, ns, std::move(*view), reply);
  const shards::Collection* there = catalog.find(ns.full());
  TRY(const query::Collation collation, collation_for(request.collation, there));
  const bool one_batch_is_all = request.batch_size.value_or(1) > 0;
  if (request.skip == 0 && one_batch_is_all && !request.tailable && request.hint.missing() && !request.bounds().given() && !request.return_key) {
    thread_local bson::Buffer key;
    key.clear();
    const bool by_key = there != nullptr ? express_key(*there, request.filter, collation.get(), key) : express_id(request.filter).has_value();
    if (by_key) return express(operation, request, ns, collation, there, key.bytes(), reply);
  }

  TRY(FindQuery query, parse_query(operation, request, collation));
  const std::shared_ptr<const shards::Collection> source = catalog.share(ns.full());
  if (request.tailable && query.matcher.tree().near) {
    return error(Code::BadValue, "Tailable cursors and geo $near cannot be used together");
  }
  if (source == nullptr) return write_empty_cursor(ns, reply);
  CHECK_OK(check_can_tail(request, source.get()));
  TRY(Plan plan, plan_for(operation, source, request, query));
  plan.order.needs_place = source->capped && plan.order.index == nullptr;
  const Plan* walked = request.tailable ? nullptr : &plan;
  if (query.shown.wants_metadata()) query.shown.know(std::make_unique<FindMetadata>(source, query.sort, walked, &query.matcher.tree()));

  BatchLimits limits;
  if (request.batch_size) limits.documents = *request.batch_size;
  const std::optional<FindExecution::Budget> on_core = operation.on_worker() ? std::nullopt : budget_for(request, limits, *source, query, plan);
  if (!operation.on_worker() && !on_core) return operation.to_worker();
  if (request.tailable) return tail(operation, request, source, std::move(query), limits, reply);
  PlanPremise premise = std::move(plan.premise);
  const CursorOptions options{.single_batch = request.single_batch, .no_timeout = request.no_timeout};
  if (on_core) {
    auto execution = std::make_unique<FindExecution>(store, source, std::move(query), std::move(plan.order), plan.sorted);
    execution->set_budget(*on_core);
    execution->set_premise(std::move(premise));
    return answer_first_batch(operation, ns, std::move(execution), limits, options, reply);
  }
  if (request.bounds().given()) count_use(*source, plan.order);
  const FindFanOut::Manner manner{
      .parallelism = asked.over(*source),
      .partial = request.partial_results,
      .one_batch = request.single_batch || (request.limit > 0 && request.limit <= limits.documents)};
  std::unique_ptr<FindRun> execution = run_find(store, source, std::move(query), std::move(plan), manner);
  execution->set_premise(std::move(premise));
  return answer_first_batch(operation, ns, std::move(execution), limits, options, reply);
}

Status explain_find(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(FindRequest request, kArguments.parse("find", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(check(request));
  request.sorted = !request.sort.empty();
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  TRY(const query::Collation collation, collation_for(operation, request.collation, ns));
  TRY(const FindQuery query, parse_query(operation, request, collation));
  CHECK_OK(check_can_tail(request, operation.server().store.catalog().snapshot().find(ns.full())));
  TRY(const Variables variables, Variables::of(operation, request.let, collation));
  TRY(const AskedParallelism asked, parallelism_of(operation, request));
  const ExplainedQuery explained{.ns = ns,
                                 .shown = {.filter = request.filter,
                                           .sort = request.sort,
                                           .projection = request.projection,
                                           .skip = static_cast<std::uint64_t>(request.skip),
                                           .limit = static_cast<std::uint64_t>(request.limit)},
                                 .hint = request.hint,
                                 .asked = asked,
                                 .context = variables.context(),
                                 .needs = needs_of(query),
                                 .bounds = request.bounds(),
                                 .disk_use = query.disk_use};
  return explain_query(operation, explained, verbosity, reply);
}

/// What a pipeline has no word for.
Status check_fit_for_view(const FindRequest& request) {
  const auto refuse = [](std::string_view option) {
    return error(Code::InvalidPipelineOperator, "Option ", option, " not supported in aggregation.");
  };
  if (!request.min.empty()) return refuse("min");
  if (!request.max.empty()) return refuse("max");
  if (request.return_key) return refuse("returnKey");
  if (request.show_record_id) return refuse("showRecordId");
  if (request.tailable) return error(Code::InvalidPipelineOperator, "Tailable cursors are not supported in aggregation.");
  if (request.no_timeout) return refuse("noCursorTimeout");
  if (request.partial_results) return refuse("allowPartialResults");
  if (request.single_batch && request.limit != 1) return refuse("singleBatch");  // Of one document there is but one batch.
  return {};
}

Result<bson::Document> find_as_pipeline(const Operation& operation, const ViewSource& source) {
  TRY(FindRequest request, kArguments.parse("find", operation.request()));
  CHECK_OK(check_numbers(request));
  CHECK_OK(check_fit_for_view(request));
  CHECK_OK(check(request));
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  const auto own_stages = [&](bson::ArrayWriter& stages) {
    if (!request.filter.empty()) stages.document().add("$match", request.filter);
    if (!request.sort.empty()) stages.document().add("$sort", request.sort);
    if (request.skip > 0) stages.document().add("$skip", request.skip);
    if (request.limit > 0) stages.document().add("$limit", request.limit);
    if (!request.projection.empty()) stages.document().add("$project", request.projection);
  };
  const auto own_options = [&](bson::Writer& command) {
    {
      bson::Writer cursor = command.document("cursor");
      if (request.batch_size) cursor.add("batchSize", *request.batch_size);
    }
    if (!request.hint.missing()) command.add("hint", request.hint);
    pass_on(operation, {"let", "allowDiskUse", kDegreeName, kBufferedName}, command);
  };
  return view_pipeline(operation, source, own_stages, own_options);
}

const Register kFind{{
    .name = "find",
    .help = "Answers with the documents of a collection that match a filter.",
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .takes_read_concern = true,
    .stable_api = true,
    .plans_anew = true,
    .on_view = {.pipeline = find_as_pipeline},
    .run = find,
    .explain = explain_find,
}};

}  // namespace
}  // namespace partita::commands
