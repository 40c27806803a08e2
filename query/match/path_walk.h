// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "query/path/field_lookup.h"
#include "query/path/last_dot.h"
#include "wire/bson/validate.h"

namespace partita::query {

/// A document still to descend into, or an array and the place reached in it.
struct PathTask {
  const std::uint8_t* at;  ///< The document, or the array's next element.
  std::uint32_t part;      ///< The names of the path before this one are used up.
  std::uint32_t index;
  std::int32_t origin;     ///< Which element of the outermost array it comes from, kNoOrigin outside of arrays.
  bool in_array;
};

/// An element that the path names by its place is no choice that the walk has made: it does not count as an origin.
constexpr std::int32_t kNoOrigin = -1;

/// The tasks of a walk that ends before its function returns. An array task pushes at most two tasks per element and each
/// goes one level deeper into the document, so twice the depth that validation allows is room enough.
class FixedTasks {
 public:
  bool empty() const { return size_ == 0; }
  PathTask& last() { return tasks_[size_ - 1]; }
  void push(PathTask task) { tasks_[size_++] = task; }
  void pop() { --size_; }

 private:
  std::size_t size_ = 0;
  std::array<PathTask, 2 * bson::kMaxMessageDepth + 2> tasks_;
};

/// The tasks of a walk that rests while others go on, which put theirs on top of the same vector.
class SharedTasks {
 public:
  SharedTasks(std::vector<PathTask>& tasks, std::size_t base) : tasks_(tasks), base_(base) {}
  bool empty() const { return tasks_.size() == base_; }
  PathTask& last() { return tasks_.back(); }
  void push(PathTask task) { tasks_.push_back(task); }
  void pop() { tasks_.pop_back(); }

 private:
  std::vector<PathTask>& tasks_;
  std::size_t base_;
};

/// What a path offers behind an array that lies on its way, one value after the other, by the rules of filters: an array
/// on the way is entered element by element, and by place where the name is a number; one at the end is offered whole.
template <class Tasks>
class PathWalk {
 public:
  PathWalk(const FieldPath& path, Tasks& tasks, FieldLookup* lookup) : path_(path), tasks_(tasks), lookup_(lookup) {}

  /// `part` names are used up where the array stands, and some are left.
  void enter(bson::Value array, std::size_t part) { enter(array, part, kNoOrigin); }
  /// False at the end. A path that leads nowhere in a document offers a missing value.
  bool next(bson::Value& value) {
    by_place_ = false;
    while (!tasks_.empty()) {
      if (tasks_.last().in_array ? next_element(value) : next_document(value)) return true;
    }
    return false;
  }
  /// The path's last name was the place of the last value: the elements of an array there are not what it means.
  bool by_place() const { return by_place_; }
  /// Which element of the outermost array the last value comes from, or kNoOrigin.
  std::int32_t origin() const { return origin_; }

 private:
  void enter(bson::Value array, std::size_t part, std::int32_t origin) {
    tasks_.push({array.as_document().data() + 4, static_cast<std::uint32_t>(part), 0, origin, true});
  }
  void enter_document(bson::Value document, std::uint32_t part, std::int32_t origin) {
    tasks_.push({document.as_document().data(), part, 0, origin, false});
  }

  bool next_document(bson::Value& value) {
    const PathTask task = tasks_.last();
    tasks_.pop();
    std::size_t part = task.part;
    if (part == path_.size()) {
      value = bson::Value::of(bson::View::trusted(task.at));
      return at_place(value, task.part, task.origin);
    }
    value = descend(bson::View::trusted(task.at), path_, part, lookup_);
    return offers(value, part, task.origin);
  }

  bool next_element(bson::Value& value) {
    PathTask& task = tasks_.last();
    const bson::View::Iterator element(task.at);
    if (element == std::default_sentinel) {
      tasks_.pop();
      return false;
    }
    task.at = element.next();
    const std::uint32_t part = task.part;
    const std::int32_t origin = task.origin;
    const std::uint32_t index = task.index++;
    value = element->value;  // `task` may move from here on.
    const bool named = path_[part].index == index;
    if (!value.is_document()) return named && at_place(value, part + 1, origin);
    // The last one pushed is walked first: a field of that name in the document, as in MongoDB.
    if (named) enter_document(value, part + 1, origin);
    enter_document(value, part, origin == kNoOrigin ? static_cast<std::int32_t>(index) : origin);
    return false;
  }

  /// The path names the element by its place.
  bool at_place(bson::Value value, std::uint32_t part, std::int32_t origin) {
    origin_ = origin;
    if (part == path_.size()) return by_place_ = true;
    return value.is_array() && offers(value, part, origin);
  }

  bool offers(bson::Value value, std::size_t part, std::int32_t origin) {
    origin_ = origin;
    if (value.is_array()) end_at_array(path_, part);
    if (!value.is_array() || part == path_.size()) return true;
    enter(value, part, origin);
    return false;
  }

  const FieldPath& path_;
  Tasks& tasks_;
  FieldLookup* lookup_;
  std::int32_t origin_ = kNoOrigin;
  bool by_place_ = false;
};

/// Shows `see` all values that a path offers, an array at its end as a whole, a missing one where it leads nowhere.
template <class See>
void each_along_path(bson::View document, const FieldPath& path, See see) {
  std::size_t part = 0;
  bson::Value value = descend(document, path, part);
  if (!value.is_array() || part == path.size()) return see(value);
  FixedTasks tasks;
  PathWalk walk(path, tasks, nullptr);
  walk.enter(value, part);
  while (walk.next(value)) see(value);
}

}  // namespace partita::query
