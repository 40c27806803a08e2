// SPDX-License-Identifier: GPL-3.0-or-later
// Most paths meet no array: descend() follows those through documents alone. The rest is a search with a stack of its own.
// An array task pushes at most two tasks per element and each goes one level deeper into the document, so twice the
// depth that validation allows is room enough.
#include <array>

#include "query/match/predicate.h"
#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

bool any_element(Value array, const Predicate& predicate, MatchState& state) {
  const View elements = array.as_document();
  for (auto at = elements.begin(); at != elements.end(); ++at)
    if (predicate.matches(at->value, state)) return true;
  return predicate.matches(array, state);
}

/// A document still to descend into, or an array and the place reached in it.
struct Task {
  const std::uint8_t* at;  // The document, or the array's next element.
  std::uint32_t part;      // The names of the path before this one are used up.
  std::uint32_t index;
  bool in_array;
};

class ArraySearch {
 public:
  ArraySearch(const FieldPath& path, const Predicate& predicate, MatchState& state)
      : path_(path), predicate_(predicate), state_(state) {}

  bool any(Value array, std::size_t part) {
    if (enter(array, part)) return true;
    while (size_ > 0) {
      if (tasks_[size_ - 1].in_array ? next_element() : next_document()) return true;
    }
    return false;
  }

 private:
  bool enter(Value array, std::size_t part) {
    if (part == path_.size()) return any_element(array, predicate_, state_);
    push({array.as_document().data() + 4, static_cast<std::uint32_t>(part), 0, true});
    return false;
  }

  bool next_document() {
    const Task task = tasks_[--size_];
    std::size_t part = task.part;
    const Value value = descend(View::trusted(task.at), path_, part, state_.lookup);
    return value.is_array() ? enter(value, part) : predicate_.matches(value, state_);
  }

  bool next_element() {
    Task& task = tasks_[size_ - 1];
    const View::Iterator element(task.at);
    if (element == std::default_sentinel) {
      --size_;
      return false;
    }
    task.at = element.next();
    const std::uint32_t part = task.part;
    const bool named = path_[part].index == task.index++;
    const Value value = element->value;  // `task` may move: push() writes behind it.
    if (value.is_document()) push({value.as_document().data(), part, 0, false});
    return named && by_place(value, part + 1);
  }

  /// The path names this element by its place.
  bool by_place(Value value, std::uint32_t part) {
    if (part == path_.size()) return predicate_.matches(value, state_);
    if (value.is_document()) push({value.as_document().data(), part, 0, false});
    return value.is_array() && enter(value, part);
  }

  void push(Task task) { tasks_[size_++] = task; }

  const FieldPath& path_;
  const Predicate& predicate_;
  MatchState& state_;
  std::size_t size_ = 0;
  std::array<Task, 2 * bson::kMaxMessageDepth + 2> tasks_;
};

}  // namespace

bool any_along_path(View document, const FieldPath& path, const Predicate& predicate, MatchState& state) {
  std::size_t part = 0;
  const Value value = descend(document, path, part, state.lookup);
  if (!value.is_array()) [[likely]] return predicate.matches(value, state);
  if (part == path.size()) return any_element(value, predicate, state);
  return ArraySearch(path, predicate, state).any(value, part);
}

}  // namespace partita::query
