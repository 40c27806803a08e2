// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/plan_history.h"
#include "query/plan/plan.h"
#include "shards/router/collection_scan.h"
#include "shards/router/walk_bound.h"

namespace partita::query {
class Matcher;
}

namespace partita::commands {

struct CachedPlan;
class PlanWatch;

/// What a plan takes for granted of the data: that no document which it leads to has an array in the index where none was known
/// when it was planned, or, in a wildcard index, on the way to its path. Both ends of a range, and an order, may then be read
/// off keys of the fields without arrays.
class PlanPremise {
 public:
  PlanPremise() = default;
  explicit PlanPremise(std::shared_ptr<const shards::Collection> collection) : collection_(std::move(collection)) {}
  void take_for_granted(const shards::ScanOrder& walk, std::uint64_t without_arrays);
  /// Asked when the first rows have been read, for who writes an array says so before others see it. QueryPlanKilled when
  /// one has come: what was read may lack documents, and has to be read again by another plan.
  Status check(shards::Store& store) const;
  /// It is the winner of an earlier trial, for other values.
  void led_by(std::shared_ptr<CachedPlan> plan);
  /// To be told of all that is looked at; null: there is nothing to compare it with.
  shards::WalkBound* bound() const;
  /// Whether that would give up now.
  bool is_much_worse(std::int64_t looked_at, std::int64_t matched) const;
  /// The first batch is there: PlanWatch::end().
  Status end_watch(bool ended) const;

 private:
  struct Demand {
    std::shared_ptr<const shards::IndexSpec> index;
    std::vector<query::KeyRange> within;
    std::uint64_t without_arrays;
  };
  static Status check(const Demand& demand, const shards::Collection& now);

  std::shared_ptr<const shards::Collection> collection_;
  std::shared_ptr<PlanWatch> watch_;  ///< Null: there was no choice, or a trial for this query.
  std::vector<Demand> demands_;  ///< None: nothing is taken for granted.
};

/// What to walk over for a query. query/plan decides; this puts its decision into a collection's terms.
struct Plan {
  shards::ScanOrder order;
  bool sorted = false;  ///< The walk is in the order of the sort (which may be none).
  /// Each leg of it is, in the order of its keys: merged they are the whole in order. `sorted` is then false.
  bool legs_sorted = false;
  bool sorted_by_entries = false;  ///< By an index, whether in one leg or in several.
  bool needs_filter = true;
  bool exact = false;  ///< Rows may be counted without a look at them.
  bool through_index = false;  ///< By the keys of an index, or of the records as one, not over everything.
  std::vector<std::string> wildcard_paths = {};  ///< Of wildcard indexes: those that are looked at.
  PlanPremise premise;

  /// Looks up keys instead of walking over everything.
  bool by_key() const { return !order.is_over_records() || !order.ranges.empty(); }
  /// Entries that lie in order in one table now may be in several before a cursor comes to its end.
  bool may_come_to_merge(const shards::Collection& collection) const {
    return sorted_by_entries && (collection.sharding != nullptr || collection.partitions.size() > 1);
  }
};

/// That it is walked over, for $indexStats.
void count_use(const shards::Collection& collection, const shards::ScanOrder& order);

/// FailedToParse for what is neither an index's name nor its keys: of a statement, that ends its command.
Status check_hint_type(bson::Value hint);
/// The same, and BadValue for $natural among other fields.
Status check_hint(bson::Value hint);
/// To sort by $natural is to walk over everything in that direction: it becomes the hint of the same words, and the sort
/// is empty then. BadValue where sort and hint contradict each other.
Status settle_natural_sort(bson::View& sort, bson::Value& hint);

/// What a query asks of the rows of its plan beside filter and sort.
struct PlanNeeds {
  std::optional<std::vector<std::string>> paths = {};  ///< Nullopt: whole documents.
  std::string distinct = {};  ///< Only the different values of this path.
  bool key_alone = false;  ///< Only the key of the index by which it is found.
  bool apart = false;  ///< For explain: what is done for each branch of the plan is counted by itself.
};

/// How a plan has done in its trial.
struct TrialFigures {
  std::int64_t works = 0;    ///< Rows looked at.
  std::int64_t results = 0;  ///< That matched; of a plan that sorts them first none before it has seen them all.
  bool ended = false;        ///< All there are.
  double score = 0;
  std::int64_t documents = 0;  ///< Read.
  std::int64_t matched = 0;
};

/// The decision with all that led to it, for explain. The filter and the sort must outlive it.
class PlanChoice {
 public:
  /// BadValue when the hint names no index. Without a collection there is nothing to walk over.
  static Result<PlanChoice> make(std::shared_ptr<const shards::Collection> collection, const query::FilterTree& filter,
                                 const query::SortSpec& sort, bson::Value hint = {}, PlanNeeds needs = {});

  /// By min and max: the winner, a scan of an index, walks over these keys whatever the filter says, which is asked of all rows.
  void limit_to(query::KeyRange range, bool filters);
  /// Where several plans are promising: the one that has won for queries of this shape, or wins a short trial now. LockBusy
  /// where that takes a worker. The matcher is that of the filter.
  Status settle(const PlanAsker& asker, const query::Matcher& matcher);
  /// For explain, once it is settled: how those of the first candidates() do in a trial that were to choose from, whether there
  /// was one or an earlier one has told. Nothing where there was no choice.
  Result<std::vector<TrialFigures>> try_again(shards::Store& store, const query::Matcher& matcher) const;
  std::span<const query::Plan> candidates() const { return candidates_; }
  /// The walk of one of them.
  shards::ScanOrder order_of(const query::Plan& plan) const;
  /// In the collection's terms; there must be one.
  Plan plan() const;
  const query::PlanRequest& request() const { return request_; }
  const query::Plan& winner() const { return candidates_.front(); }
  /// Null where there is none.
  const shards::Collection* collection() const { return collection_.get(); }
  /// How the filter tells which partitions hold what is asked for.
  enum class Targeting : std::uint8_t { kNone, kRange, kEquality };
  Targeting targeting() const;
  /// Other ways through an index: a walk over everything is always possible and not worth telling.
  std::span<const query::Plan> rejected() const;

 private:
  void describe();
  /// Why its $text finds no index that serves it.
  Status no_text_plan() const;
  bool names_keys(const query::Plan& plan) const;
  bool narrows_records() const { return !by_records_.intervals.empty() || !by_records_.branches.empty(); }
  shards::ScanOrder order_of_union(const query::Plan& plan) const;
  std::size_t promising() const;
  std::string identity(const query::Plan& plan) const;
  void prefer(std::size_t candidate);
  std::shared_ptr<CachedPlan> cache(const query::Matcher& matcher, std::string shape) const;
  void ask_keys(const query::Plan& plan, const query::IndexDescription& way, shards::ScanOrder& order) const;

  std::shared_ptr<const shards::Collection> collection_;
  std::vector<query::IndexDescription> ways_;
  query::Plan by_records_;  ///< What the filter says of the records' own keys, whichever way is chosen.
  std::vector<query::KeyRange> record_ranges_;  ///< By that, where there are several partitions; none: everything.
  std::unique_ptr<const PlanNeeds> needs_;
  query::PlanRequest request_;  ///< Looks into ways_, which may move with it.
  std::vector<query::Plan> candidates_;
  std::size_t worth_trying_ = 0;  ///< Of them, from the first on; known once it is settled.
  std::shared_ptr<CachedPlan> cached_;  ///< The winner's, where an earlier trial has told it.
};

/// BadValue when the hint names no index; LockBusy where it takes a worker to choose.
Result<Plan> choose_plan(const PlanAsker& asker, const std::shared_ptr<const shards::Collection>& collection, const query::Matcher& matcher,
                         const query::SortSpec& sort, bson::Value hint = {}, PlanNeeds needs = {});

}  // namespace partita::commands
