// SPDX-License-Identifier: GPL-3.0-or-later
// A text index is asked for each of the terms, between the values of the fields before the texts, all of which must be pinned.
#include <algorithm>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

Interval point(bson::Value value) {
  const IntervalEnd end{.type_class = bson::type_class(value.type()), .value = value};
  return {end, end};
}

/// What the filter demands of a field before the texts; empty where that is not one value. In these keys null is what is
/// missing too.
std::optional<Interval> pinned(const FilterTree& filter, std::string_view path) {
  const PathBounds bounds = bounds_for(filter, path);
  std::optional<bson::Value> value = bounds.equal;
  if (!value && bounds.in && bounds.in->count() == 1) value = bounds.in->begin()->value;
  if (!value || value->is(bson::Type::kRegex)) return std::nullopt;
  return point(value->is_nullish() ? bson::Value::null() : *value);
}

/// With no term that says anything nothing is found: what stands here instead is in no key, for it would part words.
constexpr std::string_view kNoTerm = " ";

std::shared_ptr<const bson::Document> keys_of_terms(const text::Query& query) {
  std::vector<std::string> keys;
  for (const std::string& term : query.terms()) keys.push_back(text::key_of_term(term));
  if (keys.empty()) keys.emplace_back(kNoTerm);
  std::ranges::sort(keys);
  return std::make_shared<const bson::Document>(bson::Document::build([&](bson::Writer& out) {
    bson::ArrayWriter list = out.array("terms");
    for (const std::string& key : keys) list.push(key);
  }));
}

std::vector<Interval> points(bson::View terms) {
  std::vector<Interval> intervals;
  for (const bson::Field& term : terms) intervals.push_back(point(term.value));
  return intervals;
}

std::optional<Plan> plan_by(const PlanRequest& request, std::size_t position) {
  const IndexDescription& index = request.indexes[position];
  if (index.hidden || !serves_filter(index, *request.filter)) return std::nullopt;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position, .texts = keys_of_terms(*request.filter->text)};
  for (const IndexDescription::Field& field : index.fields) {
    if (field.form == KeyForm::kText) break;
    const std::optional<Interval> value = pinned(*request.filter, field.path);
    if (!value) return std::nullopt;
    plan.intervals.push_back({{*value}, field.direction});
  }
  plan.intervals.push_back({points((*plan.texts)["terms"].as_document()), keys::Direction::kAscending});
  plan.needs_sort = request.sort != nullptr && !request.sort->empty();
  plan.may_repeat = request.filter->text->terms().size() > 1;
  return plan;
}

}  // namespace

std::vector<Plan> text_plans(const PlanRequest& request) {
  for (std::size_t i = 0; i < request.indexes.size(); ++i) {
    if (request.indexes[i].text == nullptr || *request.indexes[i].text != request.filter->text->spec()) continue;
    if (auto plan = plan_by(request, i)) return {std::move(*plan)};
  }
  return {};
}

}  // namespace partita::query
