// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan.h"

#include <algorithm>
#include <set>

#include "commands/index_description.h"
#include "commands/index_use.h"
#include "query/geo/near.h"
#include "query/plan/covering.h"
#include "shards/router/leg_spans.h"
#include "shards/storage/fail_point.h"
#include "wire/bson/clamped_number.h"
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
    way.fields.push_back({.path = "_id", .collation = collection.collation.get()});
    way.by_id = true;
    return way;
  }
  const query::ShardKey& key = collection.sharding->key;
  way.name = collection.sharding->name;
  way.null_is_one = true;
  for (const auto& field : key.fields()) way.fields.push_back({.path = field.path.text(), .form = field.hashed ? query::KeyForm::kHashAndValue : query::KeyForm::kValue});
  if (!key.has_id()) way.fields.push_back({.path = "_id", .collation = collection.collation.get()});
  return way;
}

/// Of {$natural: -1}; any other value than a number below zero is forward.
bool is_backward(bson::Value hint) {
  const bson::Value natural = hint.as_document()["$natural"];
  return natural.is_number() && bson::clamped_int64(natural) < 0;
}

Status check_alone(bson::View document, std::string_view role) {
  if (!document.has("$natural") || document.count() == 1) return {};
  return error(Code::BadValue, "Cannot include '$natural' in compound ", role, ": ", bson::to_shell(document));
}

Status apply_hint(const shards::Collection& collection, bson::Value hint, query::PlanRequest& request) {
  if (hint.missing() || (hint.is_document() && hint.as_document().empty())) return {};
  CHECK_OK(check_hint(hint));
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

/// What each of the branches' united ranges is of; one that several share is the first one's.
std::vector<std::size_t> branches_of(const std::vector<query::KeyRange>& united, const std::vector<query::Plan>& branches) {
  std::vector<std::size_t> found(united.size());
  for (std::size_t branch = branches.size(); branch-- > 0;) {
    for (const query::KeyRange& own : branches[branch].ranges()) {
      const auto behind = std::ranges::upper_bound(united, own.lower, {}, &query::KeyRange::lower);
      if (behind != united.begin()) found[static_cast<std::size_t>(behind - united.begin()) - 1] = branch;
    }
  }
  return found;
}

/// A 2d index knows of its square alone, whose rim is in it.
Status check_center(const query::geo::NearQuery& near, const query::IndexDescription& index) {
  constexpr double kRounding = 1e-9;
  const auto from = near.from();
  if (!from || std::ranges::find(index.fields, query::KeyForm::kGridCell, &query::IndexDescription::Field::form) == index.fields.end()) return {};
  const query::geo::GridOptions& grid = index.geo->grid;
  const auto inside = [&](double at) { return at >= grid.min - kRounding && at <= grid.max + kRounding; };
  if (inside(from->x) && inside(from->y)) return {};
  return error(Code{16433}, "point not in interval of [ ", grid.min, ", ", grid.max, " ] :: caused by :: { 0: ", from->x, ", 1: ", from->y, " }");
}

}  // namespace

query::IndexDescription describe_index(const shards::IndexSpec& spec, std::uint64_t array_bits) {
  query::IndexDescription way{.name = spec.name, .fields = {}, .pattern = spec.definition["key"].as_document()};
  const query::Matcher* filter = spec.keys->filter();
  way.filter = filter == nullptr ? nullptr : &filter->tree();
  way.unique = spec.unique;
  way.sparse = spec.sparse;
  way.hidden = spec.hidden;
  for (const auto& part : spec.parts) way.fields.push_back({part.path, part.direction(), part.form, spec.collation.get()});
  way.wildcard = spec.keys->wildcard();
  way.geo = spec.keys->geo();
  way.text = spec.keys->text().get();
  way.array_bits = array_bits;
  way.multikey = array_bits != 0;
  return way;
}

Status check_hint_type(bson::Value hint) {
  if (hint.is_string() || hint.is_document()) return {};
  return error(Code::FailedToParse, "Hint must be a string or an object");
}

Status check_hint(bson::Value hint) {
  CHECK_OK(check_hint_type(hint));
  return hint.is_document() ? check_alone(hint.as_document(), "hint") : Status();
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

void PlanPremise::take_for_granted(const shards::ScanOrder& walk, std::uint64_t without_arrays) {
  if (walk.index != nullptr && without_arrays != 0) demands_.push_back({walk.index, walk.within, without_arrays});
}

void count_use(const shards::Collection& collection, const shards::ScanOrder& order) {
  const auto count = [&](const shards::ScanOrder& walk) {
    if (walk.index != nullptr) index_use(collection, walk.index->id)->count();
    else if (!walk.ranges.empty()) count_record_use(collection);
  };
  if (order.branches.empty()) count(order);
  for (const shards::ScanOrder& branch : order.branches) count(branch);
}

Status PlanPremise::check(shards::Store& store) const {
  if (demands_.empty()) return {};
  TRY(const auto now, shards::CollectionScan::current(store, collection_));
  for (const Demand& demand : demands_) CHECK_OK(check(demand, *now));
  return {};
}

Status PlanPremise::check(const Demand& demand, const shards::Collection& now) {
  const auto same = [&](const auto& spec) { return spec->id == demand.index->id; };
  const auto place = static_cast<std::size_t>(std::ranges::find_if(now.indexes, same) - now.indexes.begin());
  if (place == now.indexes.size()) return {};
  const auto legs = leg_spans(now, {.index = demand.index, .ranges = {}, .within = demand.within});
  if ((array_bits(now, place, legs) & demand.without_arrays) == 0) return {};
  return error(Code::QueryPlanKilled, "an array has come into index '", demand.index->name, "' where it had none when the query was planned");
}

Result<PlanChoice> PlanChoice::make(std::shared_ptr<const shards::Collection> collection, const query::FilterTree& filter,
                                    const query::SortSpec& sort, bson::Value hint, PlanNeeds needs) {
  PlanChoice choice;
  choice.collection_ = std::move(collection);
  choice.needs_ = std::make_unique<const PlanNeeds>(std::move(needs));
  choice.request_ = {.filter = &filter, .sort = &sort, .indexes = {}};
  if (choice.needs_->paths) choice.request_.needed = &*choice.needs_->paths;
  choice.request_.key_alone = choice.needs_->key_alone;
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
  if (filter.near != nullptr) CHECK_OK(check_center(*filter.near, choice.ways_[choice.winner().index]));
  if (choice.candidates_.empty() && filter.text != nullptr) return choice.no_text_plan();
  if (!choice.needs_->distinct.empty() && !choice.request_.natural_hint) {
    auto jumps = query::distinct_plan(choice.request_, choice.needs_->distinct);
    if (jumps) choice.candidates_.insert(choice.candidates_.begin(), std::move(*jumps));
  }
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
  if (collection.partitions.size() > 1 && narrows_records()) record_ranges_ = by_records_.ranges();
  const std::vector<shards::LegSpan> asked = leg_spans(collection, {.index = nullptr, .ranges = record_ranges_});
  for (std::size_t i = 0; i < collection.indexes.size(); ++i) {
    ways_.push_back(describe_index(*collection.indexes[i], array_bits(collection, i, asked)));
  }
  request_.indexes = ways_;
}

void PlanChoice::limit_to(query::KeyRange range, bool filters) {
  candidates_.resize(1);
  candidates_.front().given = std::move(range);
  candidates_.front().later.clear();
  candidates_.front().needs_filter = filters;
  candidates_.front().exact = false;
}

std::span<const query::Plan> PlanChoice::rejected() const {
  const std::span<const query::Plan> others = std::span(candidates_).subspan(1);
  const bool scans_at_the_end = !others.empty() && others.back().access == query::Plan::Access::kCollectionScan;
  return others.first(others.size() - (scans_at_the_end ? 1 : 0));
}

PlanChoice::Targeting PlanChoice::targeting() const {
  const query::Plan& plan = by_records_;
  if (!narrows_records()) return Targeting::kNone;
  return names_keys(plan) ? Targeting::kEquality : Targeting::kRange;
}

/// A plan over the records that looks at whole logical keys.
bool PlanChoice::names_keys(const query::Plan& plan) const {
  const std::size_t keys = collection_->sharding == nullptr ? 1 : collection_->sharding->key.fields().size();
  const auto points = [](const query::FieldIntervals& field) {
    return std::ranges::all_of(field.intervals, [](const query::Interval& interval) { return interval.is_point(); });
  };
  const auto names = [&](const query::Plan& one) {
    return one.intervals.size() >= keys && std::all_of(one.intervals.begin(), one.intervals.begin() + static_cast<std::ptrdiff_t>(keys), points);
  };
  return plan.branches.empty() ? names(plan) : std::ranges::all_of(plan.branches, names);
}

shards::ScanOrder PlanChoice::order_of(const query::Plan& plan) const {
  using Access = query::Plan::Access;
  if (plan.access == Access::kUnion && (plan.merges || !plan.is_of_ranges())) return order_of_union(plan);
  const query::Plan& by = plan.branches.empty() ? plan : plan.branches.front();
  shards::ScanOrder order{.backward = plan.backward};
  order.may_repeat = std::ranges::any_of(plan.branches, &query::Plan::may_repeat) || plan.may_repeat;
  if (by.access == Access::kIndexScan || by.access == Access::kIdLookup) order.ranges = plan.ranges();
  if (by.access == Access::kNothing) order.ranges = {{.lower = "nothing", .upper = "nothing"}};
  if (by.access == Access::kIndexScan && by.index > 0) order.index = collection_->indexes[by.index - 1];
  if (needs_->apart && !plan.branches.empty()) order.branch_of_range = branches_of(order.ranges, plan.branches);
  if (order.index != nullptr) order.within = record_ranges_;
  if (order.index != nullptr) order.known_arrays = ways_[by.index].array_bits;
  order.by_logical_key = collection_->sharding != nullptr && order.index == nullptr && by.access == Access::kIndexScan && names_keys(plan);
  const query::IndexDescription& way = ways_[by.index];
  for (std::size_t i = 0; i < plan.sort_fields.size(); ++i) {
    order.fields.push_back({plan.sort_fields[i], way.fields[i].form, way.fields[i].direction});
  }
  if (!plan.later.empty()) order.later = std::make_shared<const shards::LaterFields>(plan.by_field(), plan.intervals.size());
  if (order.index != nullptr) ask_keys(plan, way, order);
  return order;
}

/// What is read from the keys of the index.
void PlanChoice::ask_keys(const query::Plan& plan, const query::IndexDescription& way, shards::ScanOrder& order) const {
  order.distinct_fields = plan.distinct_fields;
  for (const query::FilterNode* node : plan.key_conditions) {
    const auto field = std::ranges::find(way.fields, node->path.text(), &query::IndexDescription::Field::path);
    order.conditions.push_back({node, static_cast<std::size_t>(field - way.fields.begin())});
  }
  std::ranges::stable_sort(order.conditions, {}, &shards::ScanOrder::Condition::field);
  if (!plan.covered) return;
  std::set<std::string_view> wanted;
  if (needs_->paths) wanted.insert(needs_->paths->begin(), needs_->paths->end());
  if (!needs_->distinct.empty()) wanted.insert(needs_->distinct);
  for (const query::FilterNode& node : request_.filter->nodes) {
    if (node.kind == query::FilterNode::Kind::kField) wanted.insert(node.path.text());
  }
  if (plan.needs_sort) for (const query::SortField& field : request_.sort->fields()) wanted.insert(field.path);
  std::vector<query::KeyDocument::Field> fields;
  for (const auto& field : way.fields) fields.push_back({std::string(field.path), field.direction, needs_->key_alone || wanted.contains(field.path)});
  order.covered = std::make_shared<const query::KeyDocument>(std::move(fields));
}

/// What leads through the clauses of an $or meets a document in each of them; points of one index lie apart.
shards::ScanOrder PlanChoice::order_of_union(const query::Plan& plan) const {
  const bool of_clauses = std::ranges::any_of(plan.branches, [](const query::Plan& branch) { return branch.clause != nullptr; });
  shards::ScanOrder order{.may_repeat = of_clauses || plan.may_repeat, .within = record_ranges_, .merges = plan.merges};
  for (const query::Plan& branch : plan.branches) {
    order.branches.push_back(order_of(branch));
    if (order.index == nullptr) order.index = order.branches.back().index;
  }
  return order;
}

Plan PlanChoice::plan() const {
  using Access = query::Plan::Access;
  const query::Plan& chosen = winner();
  Plan plan;
  plan.order = order_of(chosen);
  plan.sorted = !chosen.needs_sort;
  plan.needs_filter = chosen.needs_filter;
  plan.exact = chosen.exact;
  plan.through_index = chosen.access == Access::kIndexScan || chosen.access == Access::kIdLookup || chosen.access == Access::kUnion;
  const auto note_path = [&](const query::Plan& one) {
    if (!one.wildcard_path.empty()) plan.wildcard_paths.emplace_back(one.wildcard_path);
  };
  note_path(chosen);
  std::ranges::for_each(chosen.branches, note_path);
  // Records lie in the order of the map; entries of an index are in order within each segment, and all of them together
  // are not, nor are records that are walked over in turns.
  const bool by_entries = !plan.order.is_over_records() && !request_.sort->empty() && plan.sorted;
  plan.sorted_by_entries = by_entries;
  if (by_entries && shards::leg_spans(*collection_, plan.order).size() > 1) {
    plan.legs_sorted = true;
    plan.sorted = false;
  }
  plan.premise = PlanPremise(collection_);
  plan.premise.led_by(cached_);
  plan.premise.take_for_granted(plan.order, chosen.without_arrays);
  for (const query::Plan& branch : chosen.branches) {
    shards::ScanOrder walk{.index = branch.index > 0 ? collection_->indexes[branch.index - 1] : nullptr, .within = record_ranges_};
    plan.premise.take_for_granted(walk, branch.without_arrays);
  }
  return plan;
}

Result<Plan> choose_plan(const PlanAsker& asker, const std::shared_ptr<const shards::Collection>& collection, const query::Matcher& matcher,
                         const query::SortSpec& sort, bson::Value hint, PlanNeeds needs) {
  TRY(PlanChoice choice, PlanChoice::make(collection, matcher.tree(), sort, hint, std::move(needs)));
  CHECK_OK(choice.settle(asker, matcher));
  CHECK_OK(query_planned.hit());
  Plan plan = choice.plan();
  if (asker.on_worker) count_use(*collection, plan.order);  // A core may yet leave it to a worker.
  return plan;
}

}  // namespace partita::commands
