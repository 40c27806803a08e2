// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/plan_trial.h"

#include <algorithm>
#include <deque>

#include "shards/router/collection_scan.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kRowsInTurn = 32;
constexpr std::int64_t kMostWorks = 10'000;  ///< Of one plan.
constexpr std::int64_t kFirstBatch = 101;

/// One plan at work.
class Candidate {
 public:
  Candidate(shards::Store& store, std::shared_ptr<const shards::Collection> collection, shards::ScanOrder order,
            const query::Plan& plan, const query::Matcher& matcher)
      : plan_(plan), matcher_(matcher), scan_(store, std::move(collection), std::move(order)) {
    // Asked where keys are passed over one after the other: then it has had its share.
    scan_.interrupt_by([] { return error(Code::Interrupted, "the trial has ended"); });
  }
  Status begin() { return scan_.resume(); }
  Status take_turn() {
    for (std::int64_t row = 0; row < kRowsInTurn && !done(); ++row) {
      Status status = look();
      if (status.code() == Code::Interrupted) spent_ = true;
      else CHECK_OK(std::move(status));
    }
    return {};
  }
  /// A plan that sorts has nothing to show before it has seen everything.
  bool has_batch() const { return matched_ >= kFirstBatch && !plan_.needs_sort; }
  bool done() const { return spent_ || ended_ || works() >= kMostWorks || has_batch(); }
  bool has_won() const { return ended_ || has_batch(); }
  /// As MongoDB weighs them: rows out for rows in, something for the end, and a little for what is saved.
  TrialFigures figures() const {
    constexpr double kLittle = 1e-4;
    TrialFigures figures{.works = std::max<std::int64_t>(works(), 1), .results = plan_.needs_sort && !ended_ ? 0 : matched_, .ended = ended_};
    figures.documents = scan_.documents_examined();
    figures.matched = matched_;
    figures.score = 1 + per_row() * static_cast<double>(figures.results) / static_cast<double>(figures.works) + (ended_ ? 1 : 0);
    figures.score += (plan_.covered ? kLittle : 0) + (plan_.needs_sort ? 0 : kLittle);
    return figures;
  }

 private:
  /// A document that lies where the walk is costs a third of one that a key leads to.
  double per_row() const { return plan_.access == query::Plan::Access::kCollectionScan || plan_.covered ? 3 : 1; }
  std::int64_t works() const { return scan_.keys_examined(); }
  Status look() {
    TRY(const bool more, scan_.next());
    if (!more) {
      ended_ = true;
      return {};
    }
    TRY(const bson::View document, scan_.document());
    matched_ += matcher_.matches(document, state_) ? 1 : 0;
    return std::exchange(state_.failure, Status());
  }

  const query::Plan& plan_;
  const query::Matcher& matcher_;
  shards::CollectionScan scan_;
  query::MatchState state_;
  std::int64_t matched_ = 0;
  bool ended_ = false;
  bool spent_ = false;
};

}  // namespace

Result<std::vector<TrialFigures>> try_plans(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection,
                                            const PlanChoice& choice, const query::Matcher& matcher, std::size_t plans) {
  std::deque<Candidate> candidates;
  for (std::size_t i = 0; i < plans; ++i) {
    const query::Plan& plan = choice.candidates()[i];
    candidates.emplace_back(store, collection, choice.order_of(plan), plan, matcher);
    CHECK_OK(candidates.back().begin());
  }
  const auto done = [](const Candidate& candidate) { return candidate.done(); };
  const auto won = [](const Candidate& candidate) { return candidate.has_won(); };
  while (!std::ranges::all_of(candidates, done) && std::ranges::none_of(candidates, won)) {
    for (Candidate& candidate : candidates) CHECK_OK(candidate.take_turn());
  }
  std::vector<TrialFigures> figures;
  for (const Candidate& candidate : candidates) figures.push_back(candidate.figures());
  return figures;
}

}  // namespace partita::commands
