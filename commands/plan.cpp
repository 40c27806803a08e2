// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan.h"

#include <algorithm>

#include "commands/index_description.h"
#include "query/geo/near.h"
#include "shards/router/leg_spans.h"
#include "shards/storage/fail_point.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

shards::FailPoint query_planned{"queryPlanned", "A query has been planned, and has read nothing."};

/// The records themselves: clustered by their _id, or by the shard key and the _id behind it. Those of a capped collection are
/// in no order that a filter or a sort could ask for.
query::IndexDescription describe_records(const shards::Collection& collection) {
  query::IndexDescription way{.name = "_id_", .fields = {}, .unique = true, .clustered = true};
  if (collection.capped) {
    way.hidden = true;
    return way;
  }
  if (collection.sharding == nullptr) {
    way.fields.push_back({"_id"});
    way.by_id = true;
    return way;
  }
  const query::ShardKey& key = collection.sharding->key;
  way.name = collection.sharding->name;
  way.null_is_one = true;
  for (const auto& field : key.fields()) way.fields.push_back({.path = field.path.text(), .form = field.hashed ? query::KeyForm::kHashAndValue : query::KeyForm::kValue});
  if (!key.has_id()) way.fields.push_back({"_id"});
  return way;
}

/// Of {$natural: -1}; any other value than a number below zero is forward.
bool is_backward(bson::Value natural) { return natural.as_document()["$natural"].to_double().value_or(1) < 0; }

Status check_alone(bson::View document, std::string_view role) {
  if (!document.has("$natural") || document.count() == 1) return {};
  return error(Code::BadValue, "Cannot include '$natural' in compound ", role, ": ", bson::to_shell(document));
}

Status apply_hint(const shards::Collection& collection, bson::Value hint, query::PlanRequest& request) {
  if (hint.missing() || (hint.is_document() && hint.as_document().empty())) return {};
  CHECK_OK(check_hint(hint));
  if (hint.is_document()) CHECK_OK(check_alone(hint.as_document(), "hint"));
  if (hint.is_document() && hint.as_document().has("$natural")) {
    request.natural_hint = true;
    request.natural_backward = is_backward(hint);
    return {};
  }
  const bool by_name = hint.is_string();
  const bool id = by_name ? hint.as_string() == collection.id_index_name()
                          : hint.as_document().count() == 1 && hint.as_document()["_id"].exact_int64() == 1;
  const bool shard_key = collection.sharding != nullptr && (by_name ? collection.sharding->name == hint.as_string()
                                                                    : bson::equal(bson::Value::of(collection.sharding->key.pattern()), hint));
  const bool by_id = !collection.capped && (collection.sharding == nullptr || collection.sharding->key.is_found_by_id());
  if (shard_key || (id && by_id)) request.hint = 0;
  for (std::size_t i = 0; i < collection.indexes.size(); ++i) {
    const shards::IndexSpec& spec = *collection.indexes[i];
    const bool meant = by_name ? spec.name == hint.as_string() : bson::equal(spec.definition["key"], hint);
    if (!meant || spec.hidden) continue;
    // What lies in the order of the records is found there; of two indexes with one key their names tell them apart.
    if (request.hint.value_or(0) > 0 && !by_name) {
      return error(Code::IndexNotFound, "error processing query: planner returned error :: caused by :: Hint matched multiple "
                   "indexes, must hint by index name. Matched: ", collection.indexes[*request.hint - 1]->name, " and ", spec.name);
    }
    request.hint = i + 1;
  }
  if (request.hint) return {};
  return error(Code::BadValue,
               "error processing query: planner returned error :: caused by :: hint provided does not correspond to an "
               "existing index");
}

/// It is the text index that brings the words.
Status check_text_alone(const query::PlanRequest& request) {
  if (request.filter->near != nullptr) return error(Code::BadValue, "text and geoNear not allowed in same query");
  if (request.natural_hint) return error(Code::BadValue, "text expression not allowed with $natural sort order");
  if (request.hint) return error(Code::BadValue, "text and hint not allowed in same query");
  return {};
}

Status no_plan(std::string_view why) {
  return error(Code::NoQueryExecutionPlans, "error processing query: planner returned error :: caused by :: ", why);
}

}  // namespace

query::IndexDescription describe_index(const shards::IndexSpec& spec, std::uint64_t array_bits) {
  query::IndexDescription way{.name = spec.name, .fields = {}, .pattern = spec.definition["key"].as_document()};
  const query::Matcher* filter = spec.keys->filter();
  way.filter = filter == nullptr ? nullptr : &filter->tree();
  way.unique = spec.unique;
  way.sparse = spec.sparse;
  way.hidden = spec.hidden;
  for (const auto& part : spec.parts) way.fields.push_back({part.path, part.direction(), part.form});
  way.wildcard = spec.keys->wildcard();
  way.geo = spec.keys->geo();
  way.text = spec.keys->text().get();
  way.array_bits = array_bits;
  way.multikey = array_bits != 0;
  return way;
}

Status check_hint(bson::Value hint) {
  if (hint.is_string() || hint.is_document()) return {};
  return error(Code::FailedToParse, "Hint must be a string or an object");
}

Status settle_natural_sort(bson::View& sort, bson::Value& hint) {
  if (!sort.has("$natural")) return {};
  CHECK_OK(check_alone(sort, "sort"));
  const bson::Value natural = bson::Value::of(sort);
  const bool hinted = !hint.missing() && !(hint.is_document() && hint.as_document().empty());
  if (hinted && !(hint.is_document() && hint.as_document().has("$natural"))) {
    return error(Code::BadValue, "index hint not allowed with $natural sort order");
  }
  if (hinted && !bson::equal(hint.as_document()["$natural"], sort["$natural"])) {
    return error(Code::BadValue, "$natural hint must be in the same direction as $natural sort order");
  }
  hint = natural;
  sort = {};
  return {};
}

PlanPremise::PlanPremise(std::shared_ptr<const shards::Collection> collection, const shards::ScanOrder& order,
                         std::uint64_t without_arrays)
    : without_arrays_(without_arrays) {
  if (order.index == nullptr || without_arrays == 0) return;
  collection_ = std::move(collection);
  index_ = order.index;
  within_ = order.within;
}

Status PlanPremise::check(shards::Store& store) const {
  if (collection_ == nullptr) return {};
  TRY(const auto now, shards::CollectionScan::current(store, collection_));
  const auto same = [&](const auto& spec) { return spec->id == index_->id; };
  const auto place = std::ranges::find_if(now->indexes, same) - now->indexes.begin();
  if (static_cast<std::size_t>(place) == now->indexes.size()) return {};
  const std::uint64_t bits = array_bits(*now, static_cast<std::size_t>(place), leg_spans(*now, {.index = index_, .ranges = {}, .within = within_}));
  if ((bits & without_arrays_) == 0) return {};
  return error(Code::QueryPlanKilled, "the first array in index '", index_->name, "' has come since the query was planned");
}

Result<PlanChoice> PlanChoice::make(std::shared_ptr<const shards::Collection> collection, const query::FilterTree& filter,
                                    const query::SortSpec& sort, bson::Value hint) {
  PlanChoice choice;
  choice.collection_ = std::move(collection);
  choice.request_ = {.filter = &filter, .sort = &sort, .indexes = {}};
  if (choice.collection_ == nullptr) {
    choice.candidates_.push_back({.access = query::Plan::Access::kNothing});
    return choice;
  }
  choice.describe();
  CHECK_OK(apply_hint(*choice.collection_, hint, choice.request_));
  if (filter.text != nullptr) CHECK_OK(check_text_alone(choice.request_));
  choice.candidates_ = query::candidate_plans(choice.request_);
  if (filter.near != nullptr && (choice.candidates_.empty() || choice.request_.hint == std::size_t{0})) {
    if (choice.request_.natural_hint) return error(Code::BadValue, "geoNear expression not allowed with $natural sort order or hint");
    return no_plan(detail::join("unable to find index for $geoNear query on the field ", filter.near->path().text()));
  }
  if (choice.candidates_.empty() && filter.text != nullptr) return choice.no_text_plan();
  if (choice.candidates_.empty()) {
    return no_plan("$hint: refusing to build whole-index solution, because it's a wildcard index");
  }
  return choice;
}

Status PlanChoice::no_text_plan() const {
  const auto same = [&](const query::IndexDescription& way) { return way.text != nullptr && *way.text == request_.filter->text->spec(); };
  const auto found = std::ranges::find_if(ways_, same);
  if (found == ways_.end()) return error(Code::QueryPlanKilled, "the text index has become another one since the query was parsed");
  if (found->hidden) return no_plan("need exactly one text index for $text query");
  return no_plan("failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for "
                 "all prefix fields?)");
}

/// The ways to the documents, in the planner's terms: the records first, then the indexes in their order. Of these only
/// what lies in partitions that are asked counts: nothing is paid for the others.
void PlanChoice::describe() {
  const shards::Collection& collection = *collection_;
  ways_.push_back(describe_records(collection));
  const bool divided = collection.sharding != nullptr || collection.partitions.size() > 1;
  if (divided) by_records_ = query::choose_plan({.filter = request_.filter, .indexes = ways_, .hint = 0});
  if (collection.partitions.size() > 1 && !by_records_.intervals.empty()) record_ranges_ = by_records_.ranges();
  const std::vector<shards::LegSpan> asked = leg_spans(collection, {.index = nullptr, .ranges = record_ranges_});
  for (std::size_t i = 0; i < collection.indexes.size(); ++i) {
    ways_.push_back(describe_index(*collection.indexes[i], array_bits(collection, i, asked)));
  }
  request_.indexes = ways_;
}

std::span<const query::Plan> PlanChoice::rejected() const {
  const std::span<const query::Plan> others = std::span(candidates_).subspan(1);
  const bool scans_at_the_end = !others.empty() && others.back().access == query::Plan::Access::kCollectionScan;
  return others.first(others.size() - (scans_at_the_end ? 1 : 0));
}

PlanChoice::Targeting PlanChoice::targeting() const {
  const query::Plan& plan = by_records_;
  if (plan.intervals.empty()) return Targeting::kNone;
  return names_keys(plan) ? Targeting::kEquality : Targeting::kRange;
}

/// A plan over the records that looks at whole logical keys.
bool PlanChoice::names_keys(const query::Plan& plan) const {
  const std::size_t keys = collection_->sharding == nullptr ? 1 : collection_->sharding->key.fields().size();
  const auto points = [](const query::FieldIntervals& field) {
    return std::ranges::all_of(field.intervals, [](const query::Interval& interval) { return interval.is_point(); });
  };
  return plan.intervals.size() >= keys && std::all_of(plan.intervals.begin(), plan.intervals.begin() + static_cast<std::ptrdiff_t>(keys), points);
}

Plan PlanChoice::plan() const {
  using Access = query::Plan::Access;
  const query::Plan& chosen = winner();
  Plan plan;
  plan.sorted = !chosen.needs_sort;
  plan.needs_filter = chosen.needs_filter;
  plan.through_index = chosen.access == Access::kIndexScan || chosen.access == Access::kIdLookup;
  plan.order.backward = chosen.backward;
  plan.order.may_repeat = chosen.may_repeat;
  plan.text = query::dump(chosen, request_);
  if (chosen.access == Access::kIndexScan || chosen.access == Access::kIdLookup) plan.order.ranges = chosen.ranges();
  if (chosen.access == Access::kIndexScan && chosen.index > 0) plan.order.index = collection_->indexes[chosen.index - 1];
  if (plan.order.index != nullptr) plan.order.within = record_ranges_;
  plan.order.by_logical_key = collection_->sharding != nullptr && plan.order.index == nullptr &&
                              chosen.access == Access::kIndexScan && names_keys(chosen);
  // Records lie in the order of the map; entries of an index are in order within each segment, and all of them together
  // are not.
  const bool by_entries = plan.order.index != nullptr && !request_.sort->empty() && plan.sorted;
  plan.sorted_by_entries = by_entries;
  if (by_entries && shards::leg_spans(*collection_, plan.order).size() > 1) {
    plan.legs_sorted = true;
    plan.sorted = false;
  }
  plan.premise = PlanPremise(collection_, plan.order, chosen.without_arrays);
  return plan;
}

Result<Plan> choose_plan(const std::shared_ptr<const shards::Collection>& collection, const query::FilterTree& filter,
                         const query::SortSpec& sort, bson::Value hint) {
  TRY(const PlanChoice choice, PlanChoice::make(collection, filter, sort, hint));
  CHECK_OK(query_planned.hit());
  return choice.plan();
}

}  // namespace partita::commands
