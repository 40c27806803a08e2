// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "query/indexes/geo_options.h"
#include "query/indexes/wildcard.h"
#include "query/match/matcher.h"
#include "query/plan/key_range.h"
#include "query/sort/sort_spec.h"

namespace partita::query {

/// What the planner knows about one way to the documents. Paths and name are somebody else's.
struct IndexDescription {
  struct Field {
    std::string_view path;
    keys::Direction direction = keys::Direction::kAscending;
    KeyForm form = KeyForm::kValue;  ///< Of a hash points can be looked up, and nothing else.
    const Collator* collation = nullptr;  ///< By which texts lie in the keys.
  };
  std::string_view name;
  std::vector<Field> fields;
  bson::View pattern = {};  ///< The fields as they were defined, for explain.
  const FilterTree* filter = nullptr;  ///< Only documents that match it are in it.
  bool hidden = false;    ///< There, and not to be used.
  bool multikey = false;  ///< Some document has an array under one of its paths.
  std::uint64_t array_bits = 0;  ///< The same in detail: see IndexKeys::multikey().
  const text::Spec* text = nullptr;  ///< Of the terms of these texts: it serves the $text that is made for it.
  const WildcardScope* wildcard = nullptr;  ///< One of its fields is a wildcard: one path of it serves a query.
  const GeoIndexOptions* geo = nullptr;  ///< Of an index of places: it serves who asks for some, and nobody else.
  bool unique = false;
  bool sparse = false;    ///< Documents without the fields are not in it.
  bool clustered = false;  ///< The records themselves, in the order of their keys: no fetch behind it.
  bool by_id = false;      ///< Its only field is _id, ascending: one row, found by one descent.
  bool null_is_one = false;  ///< Keys hold null for what is missing or undefined: one point for all three.

  /// Which field the wildcard is.
  std::size_t wildcard_place() const;
};

/// What is asked. All of it must outlive the plan, which points into the filter.
struct PlanRequest {
  const FilterTree* filter = nullptr;
  const SortSpec* sort = nullptr;  ///< Null or empty: any order.
  std::span<const IndexDescription> indexes;
  /// Only this one, by its place in `indexes`; or, with `natural_hint`, none.
  std::optional<std::size_t> hint;
  bool natural_hint = false;
  /// The paths that are asked for beside the filter and the sort. Null: whole documents.
  const std::vector<std::string>* needed = nullptr;
  bool natural_backward = false;  ///< With it: from the end.
  bool key_alone = false;  ///< What is asked for is the key of the index that is walked over, whichever that is.
};

/// Walks that are done in turns hold a cursor each: not more of them than this, as in MongoDB.
constexpr std::size_t kMaxMergedBranches = 200;

/// One way to answer: where rows come from, and what is left to do with them.
struct Plan {
  enum class Access : std::uint8_t {
    kNothing,         ///< There is no collection.
    kIdLookup,        ///< One record by its _id: `id`.
    kCollectionScan,  ///< All records.
    kIndexScan,       ///< The ranges of indexes[index].
    kUnion,           ///< What `branches` lead to: one after the other, or, with `merges`, in turns, in the order of the sort.
  };
  Access access = Access::kCollectionScan;
  bson::Value id = {};
  const Collator* id_collation = nullptr;  ///< By which ids lie in the keys.
  std::size_t index = 0;
  std::vector<FieldIntervals> intervals = {};  ///< Of the index's first fields, as far as the filter narrows them.
  /// Of the fields behind those: a key in the ranges that lies outside of them is passed over, up to the next that may lie
  /// within. A field without any may have any value.
  std::vector<FieldIntervals> later = {};
  std::optional<KeyRange> given = {};  ///< What the client says in place of both: min and max.
  bool backward = false;
  bool needs_filter = true;  ///< The filter has to be asked about each document.
  bool needs_sort = false;
  bool covered = false;      ///< The keys hold all that is asked for: no document has to be read.
  bool exact = false;        ///< All keys in the ranges are of documents that match: where rows are counted the filter is not asked.
  std::size_t distinct_fields = 0;  ///< Of keys that begin with the same so many fields only the first is wanted.
  /// What can be asked of a key, before its document is read.
  std::vector<const FilterNode*> key_conditions = {};
  bool may_repeat = false;  ///< One document may have several keys in the ranges: it is to be answered once.
  /// Of a wildcard index: the path, in the filter. In the wildcard's place are the path's own intervals then, and those of its
  /// values follow. Empty where only fields before the wildcard are looked at.
  std::string_view wildcard_path = {};
  std::shared_ptr<const bson::Document> texts = nullptr;  ///< What intervals of paths and terms point into.
  /// Bits that the index must not have in its IndexDescription::array_bits for the plan to be right.
  std::uint64_t without_arrays = 0;

  /// Of a kUnion: each a kIndexScan or kIdLookup, with its own clause of an $or or its own points of the fields before the sort.
  std::vector<Plan> branches = {};
  bool merges = false;
  std::shared_ptr<const FilterTree> clause = nullptr;  ///< Of a branch: what it was planned for, and points into.
  /// Of an index scan in the order of the sort: what its fields are to it, as far as it reaches.
  std::vector<InSort> sort_fields = {};
  /// What speaks for this plan where nothing has been measured: see plan.cpp. A trial may overrule it.
  std::uint32_t score = 0;

  /// Of a kIndexScan, a kIdLookup, or a kUnion of one index: ascending, apart; one open range when the filter does not narrow
  /// the index.
  std::vector<KeyRange> ranges() const;
  /// What a scan looks for in the index's fields, one after the other, as far as something is known of them.
  std::vector<FieldIntervals> by_field() const;
  /// All that the filter says of the index's first field is what it is not: to look at everything may be better.
  bool by_exclusion() const { return access == Access::kIndexScan && !intervals.empty() && intervals.front().by_exclusion; }
  /// Of a kUnion: all branches lead through the same index, which for an _id looked up is the one of the records, and their
  /// ranges say all of it.
  bool is_of_ranges() const;
};

/// The plan of the filter {_id: value}, if it is nothing more: asked first, since it needs nothing else looked at.
std::optional<Plan> express_plan(const FilterTree& filter);

/// All ways that make sense, the most promising one first. Empty only with a hint of a wildcard index that serves nothing
/// in the filter, for $near without an index of its places, and where the text index does not serve its $text. A hint that
/// names no index is the caller's error to report.
std::vector<Plan> candidate_plans(const PlanRequest& request);
inline Plan choose_plan(const PlanRequest& request) { return std::move(candidate_plans(request).front()); }

/// One line, for tests and logs: IXSCAN a_1 [5, inf] SORT.
std::string dump(const Plan& plan, const PlanRequest& request);

}  // namespace partita::query
