// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several plans is the best one depends on the values in the documents, which nobody knows beforehand: so those that
// look well are tried, and the winner leads all queries of the same shape from then on.
#include <algorithm>
#include <set>

#include "commands/plan.h"
#include "commands/plan_cache.h"
#include "commands/plan_trial.h"
#include "commands/plan_watch.h"
#include "commands/wall_time.h"
#include "query/plan/explain.h"

namespace partita::commands {
namespace {

constexpr std::size_t kMostTried = 6;
/// Above that a plan finds one document, or none.
constexpr std::uint32_t kOneRow = 1 << 20;

}  // namespace

void PlanPremise::led_by(std::shared_ptr<CachedPlan> plan) {
  if (plan != nullptr) watch_ = std::make_shared<PlanWatch>(std::move(plan));
}

shards::WalkBound* PlanPremise::bound() const { return watch_.get(); }

bool PlanPremise::is_much_worse(std::int64_t looked_at, std::int64_t matched) const {
  return watch_ != nullptr && watch_->is_much_worse(looked_at, matched);
}

Status PlanPremise::end_watch(bool ended) const { return watch_ != nullptr ? watch_->end(ended) : Status(); }

/// The first so many candidates lead through indexes, and are worth a look; the walk over everything at the end is too, where
/// no index is asked for anything that the filter looks for.
std::size_t PlanChoice::promising() const {
  using Access = query::Plan::Access;
  const query::Plan& first = candidates_.front();
  if (collection_ == nullptr || request_.hint || request_.natural_hint || first.score >= kOneRow || first.distinct_fields != 0 || request_.filter->near != nullptr) return 1;
  const auto through_index = [](const query::Plan& plan) { return plan.access == Access::kIndexScan || plan.access == Access::kUnion; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(candidates_, through_index));
  if (first.by_exclusion() && count + 1 == candidates_.size()) return count + 1;
  return std::min(count, kMostTried);
}

/// Whatever the values, the same for the same way.
std::string PlanChoice::identity(const query::Plan& plan) const {
  const auto id_of = [&](const query::Plan& one) { return one.index == 0 ? 0 : collection_->indexes[one.index - 1]->id; };
  if (plan.access == query::Plan::Access::kCollectionScan) return "all";
  if (plan.branches.empty()) return partita::detail::join(id_of(plan), plan.backward ? " backward " : " ", plan.wildcard_path);
  std::set<std::uint32_t> ids;
  for (const query::Plan& branch : plan.branches) ids.insert(id_of(branch));
  std::string text = plan.merges ? "merge" : "or";
  for (const std::uint32_t id : ids) text.append(" ").append(std::to_string(id));
  return text;
}

void PlanChoice::prefer(std::size_t candidate) {
  const auto first = candidates_.begin();
  std::rotate(first, first + static_cast<std::ptrdiff_t>(candidate), first + static_cast<std::ptrdiff_t>(candidate) + 1);
}

std::shared_ptr<CachedPlan> PlanChoice::cache(const query::Matcher& matcher, std::string shape) const {
  auto plan = std::make_shared<CachedPlan>();
  plan->shape = std::move(shape);
  plan->plan = identity(winner());
  plan->query = matcher.tree().filter.copy();
  plan->sort = bson::Document::build([&](bson::Writer& out) {
    for (const query::SortField& field : request_.sort->fields()) out.add(field.path, field.direction == query::keys::Direction::kAscending ? 1 : -1);
  });
  const query::ExplainRequest shown{.filter = plan->query.view(), .sort = plan->sort.view()};
  plan->told = bson::Document::build([&](bson::Writer& out) { query::explain_plan(winner(), request_, shown, nullptr, "plan", out); });
  plan->created = now_as_date();
  return plan;
}

Status PlanChoice::settle(const PlanAsker& asker, const query::Matcher& matcher) {
  const std::size_t tried = worth_trying_ = promising();
  if (tried < 2) return {};
  std::string shape = shape_of(request_);
  if (auto known = asker.history.given_up ? nullptr : plan_cache().find(*collection_, shape)) {
    for (std::size_t i = 0; i < tried; ++i) {
      if (identity(candidates_[i]) != known->plan) continue;
      prefer(i);
      if (!asker.history.tried) cached_ = std::move(known);
      return {};
    }
  }
  if (!asker.on_worker) return error(Code::LockBusy, "plans are tried by a worker");
  TRY(const std::vector<TrialFigures> figures, try_plans(asker.store, collection_, *this, matcher, tried));
  asker.history = {.tried = true};
  const auto best = std::ranges::max_element(figures, {}, &TrialFigures::score);
  prefer(static_cast<std::size_t>(best - figures.begin()));
  std::shared_ptr<CachedPlan> won = cache(matcher, std::move(shape));
  won->works = best->works;
  won->matched = best->matched;
  plan_cache().put(*collection_, std::move(won));
  return {};
}

Result<std::vector<TrialFigures>> PlanChoice::try_again(shards::Store& store, const query::Matcher& matcher) const {
  if (worth_trying_ < 2) return std::vector<TrialFigures>();
  return try_plans(store, collection_, *this, matcher, worth_trying_);
}

}  // namespace partita::commands
