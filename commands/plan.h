// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"
#include "shards/router/collection_scan.h"

namespace partita::commands {

/// What a plan takes for granted of the data: that no document which it leads to has an array in the index, or, in a wildcard
/// index, on the way to its path. Both ends of a range, and an order, may then be read off its keys.
class PlanPremise {
 public:
  PlanPremise() = default;
  PlanPremise(std::shared_ptr<const shards::Collection> collection, const shards::ScanOrder& order, std::uint64_t without_arrays);
  /// Asked when the first rows have been read, for who writes an array says so before others see it. QueryPlanKilled when
  /// one has come: what was read may lack documents, and has to be read again by another plan.
  Status check(shards::Store& store) const;

 private:
  std::shared_ptr<const shards::Collection> collection_;  ///< Null: nothing is taken for granted.
  std::shared_ptr<const shards::IndexSpec> index_;
  std::vector<query::KeyRange> within_;
  std::uint64_t without_arrays_ = 0;
};

/// What to walk over for a query. query/plan decides; this puts its decision into a collection's terms.
struct Plan {
  shards::ScanOrder order;
  bool sorted = false;  ///< The walk is in the order of the sort (which may be none).
  /// Each leg of it is, in the order of its keys: merged they are the whole in order. `sorted` is then false.
  bool legs_sorted = false;
  bool sorted_by_entries = false;  ///< By an index, whether in one leg or in several.
  bool needs_filter = true;
  bool through_index = false;  ///< By the keys of an index, or of the records as one, not over everything.
  PlanPremise premise;
  std::string text;     ///< One line of it, for logs.

  /// Looks up keys instead of walking over everything.
  bool by_key() const { return order.index != nullptr || !order.ranges.empty(); }
  /// Entries that lie in order in one table now may be in several before a cursor comes to its end.
  bool may_come_to_merge(const shards::Collection& collection) const {
    return sorted_by_entries && (collection.sharding != nullptr || collection.partitions.size() > 1);
  }
};

/// FailedToParse for what is neither an index's name nor its keys.
Status check_hint(bson::Value hint);
/// To sort by $natural is to walk over everything in that direction: it becomes the hint of the same words, and the sort
/// is empty then. BadValue where sort and hint contradict each other.
Status settle_natural_sort(bson::View& sort, bson::Value& hint);

/// The decision with all that led to it, for explain. The filter and the sort must outlive it.
class PlanChoice {
 public:
  /// BadValue when the hint names no index. Without a collection there is nothing to walk over.
  static Result<PlanChoice> make(std::shared_ptr<const shards::Collection> collection, const query::FilterTree& filter,
                                 const query::SortSpec& sort, bson::Value hint = {});

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

  std::shared_ptr<const shards::Collection> collection_;
  std::vector<query::IndexDescription> ways_;
  query::Plan by_records_;  ///< What the filter says of the records' own keys, whichever way is chosen.
  std::vector<query::KeyRange> record_ranges_;  ///< By that, where there are several partitions; none: everything.
  query::PlanRequest request_;  ///< Looks into ways_, which may move with it.
  std::vector<query::Plan> candidates_;
};

/// BadValue when the hint names no index.
Result<Plan> choose_plan(const std::shared_ptr<const shards::Collection>& collection, const query::FilterTree& filter,
                         const query::SortSpec& sort, bson::Value hint = {});

}  // namespace partita::commands
