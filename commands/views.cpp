// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/views.h"

#include <algorithm>
#include <set>

#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "commands/variables.h"
#include "query/stages/pipeline.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

constexpr std::size_t kMaxViewDepth = 20;
constexpr std::size_t kMaxViewPipelineBytes = 16 << 20;

Status too_deep() {
  return error(Code::ViewDepthLimitExceeded, "View depth limit exceeded; maximum depth is ", kMaxViewDepth);
}

/// A view makes rows of rows, and of nothing else; and it writes nothing.
Status check_view_stage(const shards::Namespace& view, std::string_view place, bson::Value stage) {
  if (!stage.is_document()) return wrong_type("create.pipeline", place, stage, "object");
  const bson::View fields = stage.as_document();
  const std::string_view kind = fields.empty() ? std::string_view() : fields.begin()->name;
  const bool writes = kind == "$out" || kind == "$merge";
  if (!writes && kind != "$changeStream" && !is_source_stage(fields)) return {};
  return error(Code::OptionNotSupportedOnView, "Invalid pipeline for view ", view.full(), " :: caused by :: The aggregation stage ", kind,
               " in location ", place, " of the pipeline cannot be used in the view definition of ", view.full(),
               writes ? " because it writes to disk" : " because it reads from no collection");
}

/// The view that the command names; nullptr where it names none.
const shards::ViewRow* named_view(Operation& operation) {
  if (operation.command().target != Target::kCollection || !operation.target().is_string()) return nullptr;
  const shards::CatalogSnapshot& snapshot = operation.server().store.catalog().snapshot();
  if (snapshot.views->empty()) [[likely]] return nullptr;
  return snapshot.view(shards::Namespace(operation.db(), operation.target().as_string()).full());
}

Status refuse_view(Operation& operation) {
  TRY(const shards::Namespace ns, operation.target_namespace());
  return operation.server().store.catalog().snapshot().check_no_view(ns);
}

/// The aggregate that stands for the command, as if the client had sent it.
struct StandIn {
  bson::Document body;
  wire::Request request;
  GenericArguments generic;

  static Result<std::unique_ptr<StandIn>> make(Operation& operation) {
    TRY(const shards::Namespace view, operation.target_namespace());
    TRY(const ViewSource source, resolve_view(operation.server().store.catalog().snapshot(), view));
    CHECK_OK(check_collation_of_view(operation.body()["collation"], source.collation));
    auto made = std::make_unique<StandIn>();
    TRY(made->body, operation.command().on_view.pipeline(operation, source));
    made->request = operation.request();
    made->request.body = made->body.view();
    made->request.sequence_count = 0;
    TRY(made->generic, GenericArguments::parse(made->request));
    return made;
  }
  Operation operation(Operation& asked) {
    Operation made(asked.server(), asked.client(), request, *find_command("aggregate"), generic, asked.on_worker());
    made.stand_in_for(asked);
    made.answer_as(shards::Namespace(asked.db(), asked.target().as_string()));
    return made;
  }
};

Status read_view(Operation& operation, bson::Writer& reply) {
  if (!operation.on_worker()) return operation.to_worker();
  TRY(const std::unique_ptr<StandIn> stand_in, StandIn::make(operation));
  Operation aggregate = stand_in->operation(operation);
  const auto answer = operation.command().on_view.answer;
  if (answer == nullptr) {
    Status status = aggregate.command().run(aggregate, reply);
    operation.stats() = std::move(aggregate.stats());
    return status;
  }
  bson::Buffer bytes;
  {
    bson::Writer whole(bytes);
    CHECK_OK(aggregate.command().run(aggregate, whole));
  }
  operation.stats() = std::move(aggregate.stats());
  return answer(bson::View::trusted(bytes.data())["cursor"].as_document()["firstBatch"].as_document(), reply);
}

bson::Document collation_of(const shards::ViewRow& view) {
  if (const bson::Value own = view.options["collation"]; own.is_document()) return bson::Document(own.as_document());
  return bson::Document::build([](bson::Writer& out) { out.add("locale", "simple"); });
}

/// How many views stand on one another on top of this one, no more than are allowed.
std::size_t views_above(const shards::CatalogSnapshot& snapshot, const shards::Namespace& view) {
  std::set<std::string, std::less<>> floor{std::string(view.collection())};
  for (std::size_t height = 0; height < kMaxViewDepth; ++height) {
    std::set<std::string, std::less<>> next;
    for (const auto& [name, row] : *snapshot.views) {
      const std::string_view full = name;
      const bool same_db = full.size() > view.db().size() && full.starts_with(view.db()) && full[view.db().size()] == '.';
      if (same_db && floor.contains(row->on())) next.emplace(full.substr(view.db().size() + 1));
    }
    if (next.empty()) return height;
    floor = std::move(next);
  }
  return kMaxViewDepth;
}

/// Views that stand on one another have one collation.
Status check_collation(const shards::Namespace& view, const shards::ViewRow& definition, const shards::Namespace& other, const shards::ViewRow& row) {
  if (definition.options["collation"].same_bytes(row.options["collation"])) return {};
  return error(Code::OptionNotSupportedOnView, "View ", view.full(), " has conflicting collation with view ", other.full());
}

}  // namespace

Result<ViewSource> resolve_view(const shards::CatalogSnapshot& snapshot, const shards::Namespace& view) {
  ViewSource source{view, {}, {}};
  if (const shards::ViewRow* first = snapshot.view(view.full())) source.collation = collation_of(*first);
  for (std::size_t depth = 0;; ++depth) {
    const shards::ViewRow* row = snapshot.view(source.ns.full());
    if (row == nullptr) return source;
    if (depth + 1 == kMaxViewDepth) return too_deep();  // One less than may be made, as with MongoDB.
    std::vector<bson::Document> before;
    for (const bson::Field& stage : row->pipeline()) before.emplace_back(stage.value.as_document());
    std::ranges::move(source.stages, std::back_inserter(before));
    source.stages = std::move(before);
    source.ns = shards::Namespace(view.db(), row->on());
  }
}

Status check_view(Operation& operation, const shards::CatalogSnapshot& snapshot, const shards::Namespace& view,
                  const shards::ViewRow& definition) {
  CHECK_OK(shards::check_collection_name(view.db(), definition.on()));
  for (const auto& [place, stage] : definition.pipeline()) CHECK_OK(check_view_stage(view, place, stage));
  Status readable = query::Pipeline::parse(definition.pipeline(), clock_context(operation.server().store)).status();
  if (!readable.ok()) return std::move(readable).with_context("Invalid pipeline for view " + view.full() + " :: caused by :: ");
  for (const auto& [name, row] : *snapshot.views) {
    const shards::Namespace other(std::string_view(name).substr(0, view.db().size()), std::string_view(name).substr(std::min(name.size(), view.db().size() + 1)));
    if (other.full() == name && other.db() == view.db() && row->on() == view.collection()) CHECK_OK(check_collation(view, definition, other, *row));
  }
  // As it will be, with all that it stands on.
  std::size_t bytes = definition.pipeline().size();
  std::string on(definition.on());
  std::string way = view.full();
  for (std::size_t depth = views_above(snapshot, view) + 1;; ++depth) {
    const shards::Namespace next(view.db(), on);
    way += " => " + next.full();
    if (next == view) return error(Code::GraphContainsCycle, "View cycle detected: ", way);
    const shards::ViewRow* row = snapshot.view(next.full());
    if (row == nullptr && depth > kMaxViewDepth) return too_deep();
    if (row == nullptr) break;
    CHECK_OK(check_collation(view, definition, next, *row));
    if (depth >= kMaxViewDepth) return too_deep();
    bytes += row->pipeline().size();
    on = row->on();
  }
  if (bytes <= kMaxViewPipelineBytes) return {};
  return error(Code::ViewPipelineMaxSizeExceeded, "The stages of ", view.full(), " and of all that it stands on take ", bytes,
               " bytes; the most is ", kMaxViewPipelineBytes);
}

Status run_or_read_view(Operation& operation, bson::Writer& reply) {
  const Command& command = operation.command();
  if (named_view(operation) == nullptr || command.on_view.itself) return command.run(operation, reply);
  return command.on_view.pipeline == nullptr ? refuse_view(operation) : read_view(operation, reply);
}

Status explain_or_read_view(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  const Command& command = operation.command();
  if (named_view(operation) == nullptr) return command.explain(operation, verbosity, reply);
  if (command.on_view.pipeline == nullptr) return refuse_view(operation);
  TRY(const std::unique_ptr<StandIn> stand_in, StandIn::make(operation));
  Operation aggregate = stand_in->operation(operation);
  return aggregate.command().explain(aggregate, verbosity, reply);
}

bson::Document view_pipeline(const Operation& operation, const ViewSource& source, const std::function<void(bson::ArrayWriter&)>& add,
                             const std::function<void(bson::Writer&)>& options) {
  return bson::Document::build([&](bson::Writer& command) {
    command.add("aggregate", source.ns.collection());
    {
      bson::ArrayWriter stages = command.array("pipeline");
      for (const bson::Document& stage : source.stages) stages.push(stage.view());
      add(stages);
    }
    options(command);
    command.add("collation", source.collation.view());
    for (const bson::Field& field : operation.body()) {
      if (is_generic_argument(field.name)) command.add(field);
    }
  });
}

void pass_on(const Operation& operation, std::initializer_list<std::string_view> names, bson::Writer& command) {
  for (const std::string_view name : names) {
    if (const bson::Value value = operation.body()[name]; !value.missing()) command.add(name, value);
  }
}

}  // namespace partita::commands
