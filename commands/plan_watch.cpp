// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan_watch.h"

#include "commands/plan_cache.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kMuchWorse = 10;

}  // namespace

bool PlanWatch::is_much_worse(std::int64_t looked_at, std::int64_t matched) const {
  const std::int64_t most = kMuchWorse * plan_->works;
  if (looked_at <= most) [[likely]] return false;
  // Also for what it has found: more results take more rows.
  const auto at_least_one = [](std::int64_t rows) { return static_cast<double>(std::max<std::int64_t>(rows, 1)); };
  return static_cast<double>(looked_at) * at_least_one(plan_->matched) > static_cast<double>(most) * at_least_one(matched);
}

Status PlanWatch::note(std::int64_t looked_at, std::int64_t matched) {
  if (over_.load(std::memory_order_relaxed)) return {};
  const std::int64_t all = looked_at_ += looked_at;
  const std::int64_t found = matched_ += matched;
  if (!is_much_worse(all, found)) return {};
  plan_->active.store(false, std::memory_order_relaxed);
  given_up_ = true;
  return give_up();
}

Status PlanWatch::end(bool ended) {
  over_ = true;
  return given_up_ && !ended ? give_up() : Status();
}

Status PlanWatch::give_up() const {
  return error(Code::QueryPlanKilled, "cached plan was less efficient than expected: expected trial execution to take ", plan_->works,
               " works but it took at least ", looked_at_.load(), " works");
}

}  // namespace partita::commands
