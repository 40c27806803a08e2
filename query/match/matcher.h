// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/positions.h"

namespace partita::query {

/// A filter, compiled: parsed once per request, asked once per document. Immutable, so many threads may share one.
///
/// The logic is jump code: every leaf knows where to go on when it holds and when it does not, so that $and, $or, $nor
/// and $not cost nothing at run time and need neither stack nor recursion. The clauses of an $elemMatch are a stretch of the
/// same code, gone through once for each element: what is open is kept in the MatchState.
class Matcher {
 public:
  /// Copies what it needs out of `filter`. Fails as MongoDB does: BadValue for unknown operators and wrong operands.
  /// The context is that of expressions in it: $expr.
  static Result<Matcher> parse(bson::View filter, const ExpressionContext& context, FilterUse use = FilterUse::kTest);
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

  struct Step {
    const FieldPath* path;       // Null: what is at hand itself is asked about.
    const Predicate* predicate;  // Null: an $elemMatch.
    std::int32_t on_true;
    std::int32_t on_false;
    std::int32_t inner;          // $elemMatch: where its clauses begin. They end in kAccept or kReject.
    Turns turns;                 // When MongoDB asks it.
    AtEnd at_end;
    bool only_documents;         // $elemMatch
    std::int8_t passed;          // The place of the path's first name in passed_; below zero: it is looked for.
  };
  /// Where a run stands.
  struct Run;

  bool run(bson::View document, MatchState& state) const;
  bool run_conjunction(bson::View document, MatchState& state) const;
  bool holds(const Step& step, Run& run) const;
  void note_place(const Step& step, bool holds, Run& run) const;
  std::int32_t open_elements(std::int32_t at, Run& run) const;
  std::int32_t next_element(Run& run) const;
  std::int32_t leave_element(bool accepted, Run& run) const;

  explicit Matcher(FilterTree tree) : tree_(std::move(tree)) { compile(); }
  void compile();
  void find_passed();
  void find_conjunction();
  Step step_of(const FilterNode& node) const;

  FilterTree tree_;
  std::vector<Step> steps_;
  PassedNames passed_;
  std::uint32_t conjuncts_ = 0;  ///< All steps, where each of them must hold (or not) and none is an $elemMatch; else 0.
  std::uint32_t movable_ = 0;    ///< A bit for each that may be asked before others.
  std::int32_t entry_ = kAccept;
};

}  // namespace partita::query
