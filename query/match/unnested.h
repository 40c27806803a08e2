// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

struct UnnestedClause {
  FilterNode::Kind kind;
  std::uint32_t node;          ///< Where it was written.
  std::string_view name = {};  ///< kField, kValue of elements: the operator.
  std::vector<std::uint32_t> within = {};  ///< Of what holds clauses: these. Of an $in that was an $or: the choices.

  bool is_made_of_or() const { return kind == FilterNode::Kind::kField && !within.empty(); }
  bool holds_clauses() const { return kind != FilterNode::Kind::kField && !within.empty(); }
};

/// A filter as MongoDB has it once it is optimized. Clauses of an $and in an $and stand behind the others of the outer one,
/// those of an $or in an $or likewise; an $and or an $or of one clause is that clause, a $nor of one is $not. What holds
/// always or never is dropped where it decides nothing, an $in of one value is $eq, and an $or of equalities of one path $in.
struct UnnestedFilter {
  /// In the place of a clause.
  static constexpr std::uint32_t kAlways = UINT32_MAX;
  static constexpr std::uint32_t kNever = UINT32_MAX - 1;

  std::vector<UnnestedClause> clauses;  ///< Each behind those within it.
  std::uint32_t root = kAlways;
};

UnnestedFilter unnest(const FilterTree& filter);

/// The only value that an $in or $nin chooses among; missing where there are more, or none.
bson::Value only_choice(const FilterNode& node, const Collator* collation);

}  // namespace partita::query
