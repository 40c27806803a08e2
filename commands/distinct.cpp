// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_set>

#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/execution.h"
#include "commands/explain.h"
#include "commands/leg_walks.h"
#include "commands/plan.h"
#include "commands/server.h"
#include "commands/view_query.h"
#include "commands/variables.h"
#include "commands/views.h"
#include "query/keys/encode.h"
#include "query/path/field_path.h"
#include "query/path/path_rules.h"
#include "shards/store.h"
#include "wire/bson/compare.h"

namespace partita::commands {
namespace {

struct DistinctRequest {
  std::string_view key;
  bson::View query, collation;
  bson::Value hint, degree, buffered;
  AskedParallelism asked;
};

const Arguments<DistinctRequest> kArguments{
    {"key", &DistinctRequest::key, Rule::kRequired},
    {"query", &DistinctRequest::query},
    {"collation", &DistinctRequest::collation},
    {"hint", &DistinctRequest::hint},
    {kDegreeName, &DistinctRequest::degree},
    {kBufferedName, &DistinctRequest::buffered},
};

/// Every value at a path, by rules that only distinct has: an array on the way is taken by its place where the next name is
/// a number, and only so; element by element elsewhere. One at the end is taken element by element. A field whose name is the
/// rest of the path, dots and all, goes before the way that it is otherwise. Iterative.
class ValuesAtPath {
 public:
  explicit ValuesAtPath(std::string_view path) : path_(path) {}

  template <class Visit>
  void for_each(bson::View document, Visit&& visit) {
    places_.assign(1, {document, 0});
    while (!places_.empty()) {
      Place place = places_.back();
      places_.pop_back();
      const bson::Value value = at(place);
      if (value.missing()) continue;
      if (place.part < path_.size()) {
        go_on(value, place.part);
      } else if (value.is_array()) {
        for (const bson::Field& element : value.as_document()) visit(element.value);
      } else {
        visit(value);
      }
    }
  }

 private:
  struct Place {
    bson::View within;  ///< A document, or an array by the names of its places.
    std::size_t part;
  };

  /// What the next name leads to, or all that are left as one.
  bson::Value at(Place& place) const {
    if (const bson::Value found = place.within[path_.rest(place.part)]; !found.missing() || place.part + 1 == path_.size()) {
      place.part = path_.size();
      return found;
    }
    return place.within[path_[place.part++].name];
  }

  static bool is_place(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  }

  void go_on(bson::Value value, std::size_t part) {
    if (value.is_document() || (value.is_array() && is_place(path_[part].name))) return places_.push_back({value.as_document(), part});
    if (!value.is_array()) return;
    const std::size_t begin = places_.size();
    for (const bson::Field& element : value.as_document())
      if (element.value.is_document()) places_.push_back({element.value.as_document(), part});
    std::reverse(places_.begin() + static_cast<std::ptrdiff_t>(begin), places_.end());  // The first one is next.
  }

  query::FieldPath path_;
  std::vector<Place> places_;
};

/// Each value of some documents, as it is met first.
class DistinctValues {
 public:
  DistinctValues(std::string_view path, query::Collation collation) : collation_(std::move(collation)), at_path_(path) {}

  Status add(bson::View document) {
    at_path_.for_each(document, [this](bson::Value value) { meet(value); });
    return check();
  }
  /// Those of documents that come behind.
  Status add(const DistinctValues& others) {
    for (const bson::Value value : others.values_) meet(value);
    return check();
  }
  /// In their order, whatever they were met in: by an index, in one partition or in many.
  void write(bson::Writer& reply) {
    std::ranges::sort(values_, [this](bson::Value a, bson::Value b) { return bson::compare(a, b, collation_.get()) < 0; });
    bson::ArrayWriter values = reply.array("values");
    for (const bson::Value value : values_) values.push(value);
  }

 private:
  static constexpr std::size_t kElementHeader = 8;  ///< Type and name, about.

  void meet(bson::Value value) {
    key_.clear();
    query::keys::encode(value, key_, nullptr, collation_.get());
    if (!met_.emplace(key_.text()).second) return;
    values_.push_back(arena_.copy(value));
    bytes_ += value.payload_size() + kElementHeader;
  }
  Status check() const {
    if (bytes_ <= BatchLimits::kMaxBytes) return {};
    return error(Code{17217}, "distinct too big, 16mb cap");
  }

  query::Collation collation_;
  ValuesAtPath at_path_;
  std::unordered_set<std::string> met_;
  std::vector<bson::Value> values_;
  query::Arena arena_;
  std::size_t bytes_ = 0;
  bson::Buffer key_;
};

/// As with MongoDB, which reads it as a projection: a "$" at its end is no more than a name then.
Status check_key(std::string_view key) {
  if (key.find('\0') != std::string_view::npos) return error(Code{31032}, "Key field cannot contain an embedded null byte");
  if (key.find(".$.") != std::string_view::npos) {
    return error(Code{31394}, "As of 4.4, it's illegal to specify positional operator in the middle of a path: ", key);
  }
  return query::check_field_path(key.ends_with(".$") ? key.substr(0, key.size() - 2) : key);
}

Result<DistinctRequest> parse(const Operation& operation) {
  TRY(DistinctRequest request, kArguments.parse("distinct", operation.request()));
  CHECK_OK(check_key(request.key));
  if (!request.hint.missing()) CHECK_OK(check_hint(request.hint));
  TRY(request.asked, AskedParallelism::parse("distinct", request.degree, request.buffered, operation.generic().comment));
  return request;
}

PlanNeeds needs_of(const DistinctRequest& request) {
  const std::string path(request.key);
  return {.paths = std::vector<std::string>{path}, .distinct = path};
}

Status distinct(Operation& operation, bson::Writer& reply) {
  TRY(const DistinctRequest request, parse(operation));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  TRY(const query::Collation order, collation_for(operation, request.collation, ns));
  TRY(const Variables variables, Variables::of(operation, {}, order));
  TRY(query::Matcher matcher, query::Matcher::parse(request.query, variables.context(), query::FilterUse::kQuery));
  DistinctValues values(request.key, order);
  if (auto view = config_view(operation.server(), ns)) {
    TRY(const auto rows, select(std::move(*view), {.matcher = std::move(matcher)}));
    for (const bson::Document& row : rows) CHECK_OK(values.add(row.view()));
  } else if (const auto collection = operation.server().store.catalog().snapshot().share(ns.full())) {
    TRY(const Plan plan, choose_plan(operation.plan_asker(), collection, matcher, {}, request.hint, needs_of(request)));
    LegWalks walks(operation, collection, matcher, plan.order, request.asked.over(*collection));
    walks.watch(plan.premise);
    if (plan.exact) walks.ask_nothing();
    std::vector<std::unique_ptr<DistinctValues>> found(walks.legs());
    for (auto& one : found) one = std::make_unique<DistinctValues>(request.key, order);
    CHECK_OK(walks.for_each([&](std::size_t leg, bson::View document) { return found[leg]->add(document); }));
    CHECK_OK(plan.premise.check(operation.server().store));
    if (found.size() == 1) return found[0]->write(reply), Status();
    for (const auto& one : found) CHECK_OK(values.add(*one));
  }
  values.write(reply);
  return {};
}

Status explain_distinct(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const DistinctRequest request, parse(operation));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  TRY(const query::Collation order, collation_for(operation, request.collation, ns));
  std::vector<std::unique_ptr<DistinctValues>> found;
  const auto looks = [&](std::size_t legs) -> LegWalks::Look {
    while (found.size() < legs) found.push_back(std::make_unique<DistinctValues>(request.key, order));
    return [&found](std::size_t leg, bson::View document) { return found[leg]->add(document); };
  };
  TRY(const Variables variables, Variables::of(operation, {}, order));
  const bson::Document shown_as = bson::Document::build([&](bson::Writer& out) {
    if (request.key != "_id") out.add("_id", 0);
    out.add(request.key, 1);
  });
  const ExplainedQuery explained{.ns = ns,
                                 .shown = {.filter = request.query, .projection = shown_as.view()},
                                 .hint = request.hint,
                                 .asked = request.asked,
                                 .context = variables.context(),
                                 .needs = needs_of(request),
                                 .looks = looks};
  return explain_query(operation, explained, verbosity, reply);
}

/// Arrays on the way to the field, and the one at its end, are taken apart one after the other.
Result<bson::Document> distinct_as_pipeline(const Operation& operation, const ViewSource& source) {
  TRY(const DistinctRequest request, parse(operation));
  const query::FieldPath path(request.key);
  const auto own_stages = [&](bson::ArrayWriter& stages) {
    if (!request.query.empty()) stages.document().add("$match", request.query);
    for (std::size_t part = 1; part <= path.size(); ++part) {
      bson::Writer stage = stages.document();
      bson::Writer unwind = stage.document("$unwind");
      unwind.add("path", "$" + std::string(path.prefix(part)));
      unwind.add("preserveNullAndEmptyArrays", true);
    }
    bson::Writer stage = stages.document();
    bson::Writer group = stage.document("$group");
    group.add("_id", bson::Value::null());
    group.document("values").add("$addToSet", "$" + std::string(request.key));
  };
  const auto own_options = [&](bson::Writer& command) {
    command.document("cursor").close();
    pass_on(operation, {"hint", kDegreeName, kBufferedName}, command);
  };
  return view_pipeline(operation, source, own_stages, own_options);
}

Status answer_distinct(bson::View first_batch, bson::Writer& reply) {
  if (first_batch.empty()) {
    reply.array("values").close();
  } else {
    reply.add("values", first_batch.begin()->value.as_document()["values"]);
  }
  return {};
}

const Register kDistinct{{
    .name = "distinct",
    .help = "The different values of a field among the documents that match.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .takes_read_concern = true,
    .plans_anew = true,
    .on_view = {.pipeline = distinct_as_pipeline, .answer = answer_distinct},
    .run = distinct,
    .explain = explain_distinct,
}};

}  // namespace
}  // namespace partita::commands
