// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/considered_values.h"

#include "query/match/path_walk.h"

namespace partita::query {
namespace {

using bson::Value;

class Gather {
 public:
  explicit Gather(AtEnd at_end) : at_end_(at_end) { found_.missing = true; }

  /// False when no more are wanted. `by_place`: an array there is meant itself.
  bool take(Value value, bool by_place) {
    if (value.missing()) return false;
    found_.missing = false;
    if (!value.is_array() || by_place || at_end_ == AtEnd::kWhole) return add(value);
    for (const bson::Field& element : value.as_document()) {
      if (!add(element.value)) return false;
    }
    return true;
  }
  ConsideredValues found() && { return std::move(found_); }

 private:
  bool add(Value value) {
    found_.more = found_.values.size() == ConsideredValues::kMost;
    if (!found_.more) found_.values.push_back(value);
    return !found_.more;
  }

  const AtEnd at_end_;
  ConsideredValues found_;
};

}  // namespace

ConsideredValues considered_values(bson::View document, const FieldPath& path, AtEnd at_end) {
  Gather gather(at_end);
  std::size_t part = 0;
  Value value = descend(document, path, part);
  if (!value.is_array() || part == path.size()) {
    gather.take(value, false);
    return std::move(gather).found();
  }
  FixedTasks tasks;
  PathWalk walk(path, tasks, nullptr);
  walk.enter(value, part);
  while (walk.next(value) && gather.take(value, walk.by_place())) continue;
  return std::move(gather).found();
}

}  // namespace partita::query
