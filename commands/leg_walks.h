// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "commands/find_run.h"
#include "commands/operation.h"
#include "commands/parallelism.h"
#include "shards/router/each_leg.h"
#include "shards/router/leg_moment.h"

namespace partita::commands {

/// Looks at all rows that match a filter where they lie, leg by leg, several at once where that is asked for: for counts
/// and the like, whose answer is put together of what each leg has found. Used once.
class LegWalks {
 public:
  /// The filter must outlive it.
  LegWalks(Operation& operation, std::shared_ptr<const shards::Collection> collection, const query::Matcher& filter,
           const shards::ScanOrder& order, const Parallelism& parallelism);

  /// Before the walk: what it takes for granted, which is asked about afterwards too.
  void watch(const PlanPremise& premise) { control_.bound = premise.bound(); }
  /// Before count(): the plan is exact, and no row is to be looked at.
  void count_keys() {
    work_.filter = nullptr;
    work_.keys_alone = true;
  }
  /// Before for_each(): all rows of the plan match.
  void ask_nothing() { work_.filter = nullptr; }
  std::size_t legs() const { return scans_.size(); }
  /// Calls `look(leg, document) -> Status` for every row: those of one leg by one thread, in order.
  using Look = std::function<Status(std::size_t leg, bson::View document)>;
  Status for_each(const Look& look);
  /// How many rows there are, counted no further than `most`.
  Result<std::int64_t> count(std::int64_t most);

  /// When all is done: what was found on each leg, and how many threads have looked.
  std::vector<LegReport> reports() const;
  std::int64_t matched() const;
  unsigned threads() const { return static_cast<unsigned>(std::ranges::count(at_work_, true)); }

 private:
  Status walk(const std::function<Status(std::size_t leg)>& one);

  Operation& operation_;
  const Parallelism parallelism_;
  std::int64_t rows_ = 0;  ///< That will be looked at for certain.
  shards::LegWork work_;
  shards::LegControl control_;
  std::optional<shards::LegMoment> moment_;  ///< Of several legs.
  std::vector<std::unique_ptr<shards::LegScan>> scans_;
  std::vector<shards::LegSpan> spans_;
  std::vector<std::chrono::nanoseconds> times_;  ///< By leg.
  std::vector<char> at_work_;                    ///< By thread.
};

}  // namespace partita::commands
