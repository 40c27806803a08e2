// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/match/filter_tree.h"

namespace partita::query {

/// One end of a range.
struct Edge {
  bson::Value value;
  bool inclusive = true;
};

/// What a filter demands of one field in every document that it can match, as far as its top-level conjunction says so.
/// Values point into the filter. All of it holds together for a field that is never an array (_id, shard keys). Where
/// elements of an array may satisfy one demand each, only one of them may be used at a time: see planner.
struct PathBounds {
  std::optional<bson::Value> equal;
  std::optional<bson::View> in;  ///< The operand array of $in: values, and regular expressions to match.
  std::optional<bson::Value> regex;  ///< To match, as a value.
  std::optional<Edge> lower;
  std::optional<Edge> upper;
  bool of_one_value = false;  ///< All of it holds for one element of the array, for it is an $elemMatch that says so.
  const FilterNode* element = nullptr;  ///< The $elemMatch over a filter that says all of it, of one element of its array.

  bool any() const { return equal || in || regex || lower || upper; }
};

/// Equalities win over lists, and of two edges the first one written stays: the filter itself is asked again afterwards.
/// What `element` says of the path, an $elemMatch as in PathBounds, comes before all else.
PathBounds bounds_for(const FilterTree& filter, std::string_view path, const FilterNode* element = nullptr);

/// The value of `path` when the filter is nothing but {path: value}: the question behind a point read.
std::optional<bson::Value> sole_equality(const FilterTree& filter, std::string_view path);

/// All leaves that must hold for the filter to hold: the operands of its top-level conjunction.
std::vector<const FilterNode*> conjuncts(const FilterTree& filter);

/// The leaves about a path none of which may hold: what stands right behind a $not, as with $ne, or is a clause of a $nor.
std::vector<const FilterNode*> ruled_out(const FilterTree& filter, std::string_view path);

}  // namespace partita::query
