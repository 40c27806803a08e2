// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// A filter, compiled: parsed once per request, asked once per document. Immutable, so many threads may share one.
///
/// The logic is jump code: every leaf knows where to go on when it holds and when it does not, so that $and, $or, $nor
/// and $not cost nothing at run time and need neither stack nor recursion.
class Matcher {
 public:
  /// Copies what it needs out of `filter`. Fails as MongoDB does: BadValue for unknown operators and wrong operands.
  static Result<Matcher> parse(bson::View filter);

  /// False too when an expression in the filter fails: `state.failure` says so, and the query must not go on.
  bool matches(bson::View document, MatchState& state) const;
  bool matches(bson::View document) const {
    MatchState state;
    return matches(document, state);
  }

  /// True for the empty filter: every document matches and nothing has to be read.
  bool matches_everything() const { return entry_ == kAccept; }
  /// What was parsed, for planners and routers: see bounds.h.
  const FilterTree& tree() const { return tree_; }

 private:
  static constexpr std::int32_t kAccept = -1;
  static constexpr std::int32_t kReject = -2;

  bool run(bson::View document, MatchState& state) const;

  struct Step {
    const FieldPath* path;  // Null: the predicate is asked about the whole document.
    const Predicate* predicate;
    std::int32_t on_true;
    std::int32_t on_false;
  };

  explicit Matcher(FilterTree tree) : tree_(std::move(tree)) { compile(); }
  void compile();

  FilterTree tree_;
  std::vector<Step> steps_;
  std::int32_t entry_ = kAccept;
};

}  // namespace partita::query
