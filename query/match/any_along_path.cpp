// SPDX-License-Identifier: GPL-3.0-or-later
// Most paths meet no array: descend() follows those through documents alone. The rest is a walk with a stack of its own.
#include "query/interrupt.h"
#include "query/match/path_walk.h"
#include "query/match/predicate.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// Long arrays asked by very many clauses are worth a look at whether to go on.
constexpr std::uint32_t kManyElements = 64;

bool goes_on(MatchState& state) {
  Status status = Interrupt::pass(kManyElements * Interrupt::kCompare);
  if (status.ok()) [[likely]] return true;
  state.failure = std::move(status);
  return false;
}

bool any_element(Value array, const Predicate& predicate, MatchState& state) {
  const View elements = array.as_document();
  std::int64_t place = 0;
  for (auto at = elements.begin(); at != elements.end(); ++at, ++place) {
    if (predicate.matches(at->value, state)) {
      state.reached = place;
      return true;
    }
    if (place % kManyElements == kManyElements - 1 && !goes_on(state)) return false;
  }
  return predicate.matches(array, state);
}

bool any_behind(Value array, const FieldPath& path, std::size_t part, const Predicate& predicate, AtEnd at_end,
                MatchState& state) {
  FixedTasks tasks;
  PathWalk walk(path, tasks, state.lookup);
  walk.enter(array, part);
  Value value;
  for (std::uint32_t values = 1; walk.next(value); ++values) {
    if (values % kManyElements == 0 && !goes_on(state)) return false;
    const bool enters = value.is_array() && !walk.by_place() && at_end == AtEnd::kElements;
    if (!(enters ? any_element(value, predicate, state) : predicate.matches(value, state))) continue;
    if (walk.origin() != kNoOrigin) state.reached = walk.origin();
    return true;
  }
  return false;
}

/// Where `part` names of the path have led to the value.
bool any_from(Value value, std::size_t part, const FieldPath& path, const Predicate& predicate, AtEnd at_end,
              MatchState& state) {
  if (!value.is_array()) [[likely]] return predicate.matches(value, state);
  end_at_array(path, part);
  if (part < path.size()) return any_behind(value, path, part, predicate, at_end, state);
  return at_end == AtEnd::kElements ? any_element(value, predicate, state) : predicate.matches(value, state);
}

}  // namespace

bool any_along_path(View document, const FieldPath& path, const Predicate& predicate, AtEnd at_end, MatchState& state) {
  std::size_t part = 0;
  const Value value = descend(document, path, part, state.lookup);
  return any_from(value, part, path, predicate, at_end, state);
}

bool any_behind_first(Value first, const FieldPath& path, const Predicate& predicate, AtEnd at_end, MatchState& state) {
  std::size_t part = 1;
  if (path.size() == 1 || first.is_array()) return any_from(first, part, path, predicate, at_end, state);
  const Value value = first.is_document() ? descend(first.as_document(), path, part, state.lookup) : Value();
  return any_from(value, part, path, predicate, at_end, state);
}

}  // namespace partita::query
