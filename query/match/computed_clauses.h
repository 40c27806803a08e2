// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// Adds what an $expr says of single paths: {$expr: {$gt: ["$a", 5]}}, and such comparisons within its $and and $or, become
/// nodes of kind kComputed, whose operators bear MongoDB's names ($_internalExprGt). They hold for every document for which
/// the expression holds and in which `path` leads to no array, and say what expressions mean: values are compared in the order of
/// all types, in which what is missing comes before null. The operand is neither an array nor missing nor undefined.
///
/// The expression has been compiled before, so that it is well formed.
void add_computed_clauses(bson::Value expression, const ExpressionContext& context, FilterTree& filter);

}  // namespace partita::query
