// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/element_walks.h"

namespace partita::query {

using bson::Value;
using bson::View;

void ElementWalks::enter(Walk& walk, Value value) {
  if (!value.is_array()) return;
  walk.at = value.as_document().data() + 4;
  walk.place = -1;
}

void ElementWalks::open(const Arrays& arrays, FieldLookup* lookup) {
  Walk& walk = walks_.emplace_back(arrays, tasks_.size(), nullptr);
  if (arrays.path == nullptr) return enter(walk, arrays.from);
  std::size_t part = 0;
  const Value value = descend(arrays.from.as_document(), *arrays.path, part, lookup);
  if (!value.is_array() || part == arrays.path->size()) return enter(walk, value);
  SharedTasks tasks(tasks_, walk.tasks);
  PathWalk(*arrays.path, tasks, lookup).enter(value, part);
}

std::optional<Value> ElementWalks::next(FieldLookup* lookup) {
  Walk& walk = walks_.back();
  while (true) {
    if (walk.at != nullptr) {
      for (View::Iterator element(walk.at); element != std::default_sentinel; ++element) {
        ++walk.place;
        walk.at = element.next();
        const bool is_document = element->value.is_document() || element->value.is_array();
        if (is_document || !walk.arrays.only_documents) return element->value;
      }
      walk.at = nullptr;
    }
    if (tasks_.size() == walk.tasks) return std::nullopt;
    SharedTasks tasks(tasks_, walk.tasks);
    PathWalk arrays(*walk.arrays.path, tasks, lookup);
    Value value;
    if (!arrays.next(value)) return std::nullopt;
    walk.origin = arrays.origin();
    enter(walk, value);
  }
}

void ElementWalks::close() {
  tasks_.resize(walks_.back().tasks);
  walks_.pop_back();
}

}  // namespace partita::query
