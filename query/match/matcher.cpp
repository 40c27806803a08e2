// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/matcher.h"

#include <algorithm>
#include <optional>

#include "query/expressions/compiled_expression.h"
#include "query/interrupt.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;
using Kind = FilterNode::Kind;

struct Targets {
  std::int32_t on_true;
  std::int32_t on_false;
};

/// Where the child of a logical node goes when it holds or not, given where its parent goes. `next` is its next sibling.
/// The clauses of an $elemMatch are a conjunction with ends of their own.
Targets child_targets(Kind parent, Targets of_parent, std::optional<std::int32_t> next) {
  switch (parent) {
    case Kind::kOr:
      return {of_parent.on_true, next.value_or(of_parent.on_false)};
    case Kind::kNor:  // Fails with the first child that holds; $not is a $nor of all its operators together.
      return {of_parent.on_false, next.value_or(of_parent.on_true)};
    default:
      return {next.value_or(of_parent.on_true), of_parent.on_false};
  }
}

}  // namespace

Result<Matcher> Matcher::parse(View filter) { return parse(filter, ExpressionContext()); }

Result<Matcher> Matcher::parse(View filter, const ExpressionContext& context, FilterUse use) {
  TRY(FilterTree tree, parse_filter(filter, context, use));
  return Matcher(std::move(tree));
}

Matcher::Step Matcher::step_of(const FilterNode& node) const {
  const bool has_path = node.kind == Kind::kField || (node.is_elem() && node.path.size() > 0);
  return {.path = has_path ? &node.path : nullptr,
          .predicate = node.predicate.get(),
          .at_end = node.field_operator != nullptr ? node.field_operator->at_end : AtEnd::kElements,
          .only_documents = node.kind == Kind::kElemDocument};
}

// First every node gets its targets as node numbers, parents before children; then the numbers of logical nodes are
// replaced by those of the step reached through them. $not holds when its operators do not hold together, so while
// targets are handed down it is an $and whose targets have changed places.
void Matcher::compile() {
  const auto& nodes = tree_.nodes;
  const auto count = static_cast<std::int32_t>(nodes.size());
  constexpr Targets kEnds{kAccept, kReject};
  std::vector<Targets> targets(nodes.size(), kEnds);
  auto targets_within = [&](std::int32_t i) {
    if (nodes[i].is_elem()) return kEnds;
    return nodes[i].kind == Kind::kNot ? Targets{targets[i].on_false, targets[i].on_true} : targets[i];
  };
  for (std::int32_t i = 0; i < count; ++i) {
    if (nodes[i].is_leaf()) continue;
    const Targets own = targets_within(i);
    const auto end = static_cast<std::int32_t>(nodes[i].end);
    for (std::int32_t child = i + 1; child < end;) {
      const auto after = static_cast<std::int32_t>(nodes[child].end);
      const auto next = after < end ? std::optional(after) : std::nullopt;
      targets[child] = child_targets(nodes[i].kind, own, next);
      child = after;
    }
  }

  // Backwards, since a logical node begins with its first child; without children an $and holds and an $or does not.
  std::vector<std::int32_t> entries(nodes.size());
  auto step = static_cast<std::int32_t>(std::ranges::count_if(nodes, &FilterNode::asks));
  auto resolve = [&](std::int32_t target) { return target < 0 ? target : entries[target]; };
  const std::vector<Turns> turns = turns_of(tree_);
  steps_.resize(step);
  for (std::int32_t i = count - 1; i >= 0; --i) {
    const bool empty = static_cast<std::int32_t>(nodes[i].end) == i + 1;
    const Targets own = targets_within(i);
    const std::int32_t inside = empty ? resolve(nodes[i].kind == Kind::kOr ? own.on_false : own.on_true) : entries[i + 1];
    entries[i] = inside;
    if (!nodes[i].asks()) continue;
    Step& made = steps_[--step] = step_of(nodes[i]);
    made.on_true = resolve(targets[i].on_true);
    made.on_false = resolve(targets[i].on_false);
    made.inner = inside;
    made.turns = turns[i];
    entries[i] = step;
  }
  entry_ = count == 0 ? kAccept : entries[0];
  find_passed();
  find_conjunction();
}

/// The most common filter: its clauses are asked in the order that turns documents down soonest.
void Matcher::find_conjunction() {
  const std::size_t count = steps_.size();
  if (entry_ != 0 || count < 2 || count > ClauseOrder::kMost) return;  // Not from the first one: nothing matches.
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps_[i];
    const std::int32_t next = i + 1 == count ? kAccept : static_cast<std::int32_t>(i + 1);
    const bool decides = (step.on_true == next && step.on_false == kReject) || (step.on_true == kReject && step.on_false == next);
    if (step.predicate == nullptr || !decides) return;
    movable_ |= std::uint32_t{step.predicate->may_come_first()} << i;
  }
  conjuncts_ = static_cast<std::uint32_t>(count);
}

/// Steps that ask the document itself share a pass over its fields, where there are several. The clauses of an $elemMatch
/// ask its elements.
void Matcher::find_passed() {
  std::vector<Step*> sharing;
  std::size_t step = 0;
  std::size_t elements_end = 0;
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const FilterNode& node = tree_.nodes[i];
    if (!node.asks()) continue;
    Step& made = steps_[step++];
    made.passed = -1;
    if (node.is_elem()) elements_end = std::max<std::size_t>(elements_end, node.end);
    if (i >= elements_end && made.path != nullptr) sharing.push_back(&made);
  }
  if (sharing.size() < 2 || sharing.size() >= FieldLookup::kManyPaths) return;
  for (Step* each : sharing) {
    if (const auto place = passed_.add((*each->path)[0].name)) each->passed = static_cast<std::int8_t>(*place);
  }
}

bool Matcher::matches(View document, MatchState& state) const {
  if (steps_.size() < FieldLookup::kManyPaths) return run(document, state);
  if (Status status = Interrupt::pass(static_cast<std::int64_t>(steps_.size()) * Interrupt::kCompare); !status.ok()) [[unlikely]] {
    state.failure = std::move(status);
    return false;
  }
  FieldLookup lookup;
  state.lookup = &lookup;
  const bool matches = run(document, state);
  state.lookup = nullptr;
  return matches;
}

struct Matcher::Run {
  MatchState& state;
  Value current;                 // The document, or the element that the innermost $elemMatch is at.
  std::int32_t turn = kNoTurn;   // Of the clause that has had the last word about the place.
  std::size_t untold = 0;        // Clauses asked of elements since it was last asked whether to go on.
};

bool Matcher::run_conjunction(View document, MatchState& state) const {
  state.element = -1;
  if (passed_.size() > 0) state.pass.start(document);
  ClauseOrder& order = state.order;
  order.begin(this, conjuncts_);
  Run run{state, Value::of(document)};
  for (std::size_t i = 0; i < conjuncts_; ++i) {
    const Step& step = steps_[order[i]];
    if (holds(step, run) == (step.on_true != kReject)) continue;
    order.note(i, movable_);
    return false;
  }
  return state.failure.ok();
}

bool Matcher::run(View document, MatchState& state) const {
  if (conjuncts_ != 0) return run_conjunction(document, state);
  state.element = -1;
  if (passed_.size() > 0) state.pass.start(document);
  Run run{state, Value::of(document)};
  std::int32_t at = entry_;
  while (true) {
    while (at >= 0) {
      const Step& step = steps_[at];
      if (step.predicate == nullptr) {
        at = open_elements(at, run);
      } else {
        at = holds(step, run) ? step.on_true : step.on_false;
      }
    }
    if (state.walks.none()) return at == kAccept && state.failure.ok();
    at = leave_element(at == kAccept, run);
  }
}

inline bool Matcher::holds(const Step& step, Run& run) const {
  if (step.path == nullptr) return step.predicate->matches(run.current, run.state);
  bool holds = false;
  if (step.passed >= 0) {
    const Value first = run.state.pass.find(passed_, static_cast<std::size_t>(step.passed));
    if (step.path->size() == 1 && !first.is_array()) [[likely]] return step.predicate->matches(first, run.state);
    holds = any_behind_first(first, *step.path, *step.predicate, step.at_end, run.state);
  } else {
    holds = any_along_path(run.current.as_document(), *step.path, *step.predicate, step.at_end, run.state);
  }
  if (run.state.reached >= 0) note_place(step, holds, run);
  return holds;
}

void Matcher::note_place(const Step& step, bool holds, Run& run) const {
  const std::int64_t place = std::exchange(run.state.reached, -1);
  const std::int32_t turn = run.state.as_written ? step.turns.written : step.turns.sorted;
  if (!holds || turn <= run.turn) return;
  run.turn = turn;
  run.state.element = place;
}

std::int32_t Matcher::open_elements(std::int32_t at, Run& run) const {
  const Step& step = steps_[at];
  run.state.walks.open({run.current, step.path, step.only_documents, at}, run.state.lookup);
  return next_element(run);
}

std::int32_t Matcher::next_element(Run& run) const {
  constexpr std::size_t kMany = Interrupt::kSteps / Interrupt::kCompare;
  run.untold += steps_.size();  // All of them, at most.
  if (run.untold >= kMany) [[unlikely]] {
    Status status = Interrupt::pass(static_cast<std::int64_t>(std::exchange(run.untold, 0)) * Interrupt::kCompare);
    if (!status.ok()) {
      run.state.failure = std::move(status);
      while (!run.state.walks.none()) run.state.walks.close();
      return kReject;
    }
  }
  const Step& step = steps_[run.state.walks.innermost().step];
  const std::optional<Value> element = run.state.walks.next(run.state.lookup);
  if (element) {
    run.current = *element;
    return step.inner;
  }
  run.current = run.state.walks.innermost().from;
  run.state.walks.close();
  return step.on_false;
}

std::int32_t Matcher::leave_element(bool accepted, Run& run) const {
  if (!accepted) return next_element(run);
  const ElementWalks::Arrays& arrays = run.state.walks.innermost();
  const Step& step = steps_[arrays.step];
  run.current = arrays.from;
  run.state.reached = run.state.walks.place();
  note_place(step, true, run);
  run.state.walks.close();
  return step.on_true;
}

}  // namespace partita::query
