// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"
#include "query/path/field_lookup.h"
#include "wire/bson/view.h"

namespace partita::query {

/// What a run of matches needs and leaves behind: one for each scan or batch, used by one thread. Costs nothing until used.
struct MatchState {
  Arena arena{1024};  ///< Scratch for expressions; its owner resets it when it likes.
  FieldLookup* lookup = nullptr;  ///< Set by a filter of very many paths for the time of one document.
  Status failure;     ///< Why an expression had no value. The document then counts as not matching.
};

/// What one operator asks of one value: the leaf of a filter. Immutable after parsing; asked from any thread.
class Predicate {
 public:
  virtual ~Predicate() = default;
  /// `value` is missing where the path leads nowhere.
  virtual bool matches(bson::Value value, MatchState& state) const = 0;
};

/// True when `predicate` holds for any value that `path` reaches in `document`, the way filters walk: an array on the way
/// is entered element by element (and by place, where the name is a number); an array at the end offers its elements and
/// then itself; a path that leads nowhere offers one missing value. Allocates nothing.
bool any_along_path(bson::View document, const FieldPath& path, const Predicate& predicate, MatchState& state);

}  // namespace partita::query
