// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>

#include "shards/router/walk_bound.h"

namespace partita::commands {

struct CachedPlan;

/// Compares a query with the trial whose winner leads it, until its first batch is there: one that has to look at ten times
/// as much for what it finds gives up, before anybody has seen any of it, and is planned anew. So is the next one of its shape.
class PlanWatch final : public shards::WalkBound {
 public:
  explicit PlanWatch(std::shared_ptr<CachedPlan> plan) : plan_(std::move(plan)) {}
  /// Whether it is time to give up.
  bool is_much_worse(std::int64_t looked_at, std::int64_t matched) const;
  /// QueryPlanKilled.
  Status note(std::int64_t looked_at, std::int64_t matched) override;
  /// The first batch is there. Fails where some walk has given up, unless the query has `ended` all the same.
  Status end(bool ended);

 private:
  Status give_up() const;

  const std::shared_ptr<CachedPlan> plan_;
  std::atomic<std::int64_t> looked_at_{0};
  std::atomic<std::int64_t> matched_{0};
  std::atomic<bool> given_up_{false};
  std::atomic<bool> over_{false};
};

}  // namespace partita::commands
