// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/matcher.h"

#include <algorithm>
#include <optional>

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
Targets child_targets(Kind parent, Targets of_parent, std::optional<std::int32_t> next) {
  switch (parent) {
    case Kind::kAnd:
      return {next.value_or(of_parent.on_true), of_parent.on_false};
    case Kind::kOr:
      return {of_parent.on_true, next.value_or(of_parent.on_false)};
    default:  // $nor fails with the first child that holds; $not is a $nor of all its operators together.
      return {of_parent.on_false, next.value_or(of_parent.on_true)};
  }
}

}  // namespace

Result<Matcher> Matcher::parse(View filter) {
  TRY(FilterTree tree, parse_filter(filter));
  return Matcher(std::move(tree));
}

// First every node gets its targets as node numbers, parents before children; then the numbers of logical nodes are
// replaced by those of the leaf reached through them. $not holds when its operators do not hold together, so while
// targets are handed down it is an $and whose targets have changed places.
void Matcher::compile() {
  const auto& nodes = tree_.nodes;
  const auto count = static_cast<std::int32_t>(nodes.size());
  std::vector<Targets> targets(nodes.size(), Targets{kAccept, kReject});
  for (std::int32_t i = 0; i < count; ++i) {
    if (nodes[i].is_leaf()) continue;
    const bool negates = nodes[i].kind == Kind::kNot;
    const Targets own = negates ? Targets{targets[i].on_false, targets[i].on_true} : targets[i];
    const auto end = static_cast<std::int32_t>(nodes[i].end);
    for (std::int32_t child = i + 1; child < end;) {
      const auto after = static_cast<std::int32_t>(nodes[child].end);
      const auto next = after < end ? std::optional(after) : std::nullopt;
      targets[child] = child_targets(negates ? Kind::kAnd : nodes[i].kind, own, next);
      child = after;
    }
  }

  // Backwards, since a logical node begins with its first child and a childless $and simply holds.
  std::vector<std::int32_t> step_of(nodes.size());
  const auto leaves = std::count_if(nodes.begin(), nodes.end(), [](const FilterNode& node) { return node.is_leaf(); });
  auto resolve = [&](std::int32_t target) { return target < 0 ? target : step_of[target]; };
  steps_.resize(leaves);
  std::int32_t step = static_cast<std::int32_t>(leaves);
  for (std::int32_t i = count - 1; i >= 0; --i) {
    const FilterNode& node = nodes[i];
    if (node.is_leaf()) {
      const FieldPath* path = node.kind == Kind::kField ? &node.path : nullptr;
      steps_[--step] = {path, node.predicate.get(), resolve(targets[i].on_true), resolve(targets[i].on_false)};
      step_of[i] = step;
    } else {
      const bool empty = static_cast<std::int32_t>(node.end) == i + 1;
      const bool negates = node.kind == Kind::kNot;
      step_of[i] = empty ? resolve(negates ? targets[i].on_false : targets[i].on_true) : step_of[i + 1];
    }
  }
  entry_ = count == 0 ? kAccept : step_of[0];
}

bool Matcher::matches(View document, MatchState& state) const {
  if (steps_.size() < FieldLookup::kManyPaths) return run(document, state);
  FieldLookup lookup;
  state.lookup = &lookup;
  const bool matches = run(document, state);
  state.lookup = nullptr;
  return matches;
}

bool Matcher::run(View document, MatchState& state) const {
  std::int32_t at = entry_;
  while (at >= 0) {
    const Step& step = steps_[at];
    const bool holds = step.path != nullptr ? any_along_path(document, *step.path, *step.predicate, state)
                                            : step.predicate->matches(Value::of(document), state);
    at = holds ? step.on_true : step.on_false;
  }
  return at == kAccept && state.failure.ok();
}

}  // namespace partita::query
