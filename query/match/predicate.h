// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"
#include "query/match/clause_order.h"
#include "query/match/element_walks.h"
#include "query/path/field_lookup.h"
#include "query/path/field_pass.h"
#include "query/regex/regex.h"
#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::query {

/// What a run of matches needs and leaves behind: one for each scan or batch, used by one thread. Costs nothing until used.
struct MatchState {
  Arena arena{1024};  ///< Scratch for expressions; its owner resets it when it likes.
  FieldLookup* lookup = nullptr;  ///< Set by a filter of very many paths for the time of one document.
  Status failure;     ///< Why a clause had no answer. The document then counts as not matching.
  RegexScratch regex;
  std::uint64_t draws = 0;  ///< Of lots, for $sampleRate.
  bool anew = false;        ///< The document may have changed since an index has led to it.

  /// Of a document that matches(): the place of the array element that made it match, which is what `$` means in an update
  /// or a projection ("a.$"); -1 where no array had a say. Where arrays lie in arrays it is the place in the outermost one
  /// that the path enters by itself. Where several clauses meet arrays, the one that MongoDB asks last decides: see
  /// positions.h. Clauses in $or and $nor, and those that deny ($not, $ne), have no say. Every matches() sets it anew.
  std::int64_t element = -1;
  bool as_written = false;  ///< The last clause as the filter is written decides instead: so a find's projection means it.

  // The matcher's own.
  FieldPass pass;
  ClauseOrder order;
  std::int64_t reached = -1;  ///< The same for the clause asked last, until it is looked at.
  ElementWalks walks;         ///< The $elemMatch that are being asked.
};

/// What one operator asks of one value: the leaf of a filter. Immutable after parsing; asked from any thread.
class Predicate {
 public:
  virtual ~Predicate() = default;
  /// `value` is missing where the path leads nowhere.
  virtual bool matches(bson::Value value, MatchState& state) const = 0;
  /// It may be asked before others that were written in front of it.
  virtual bool may_come_first() const { return false; }
};

/// One that always has an answer, and soon.
class QuickPredicate : public Predicate {
 public:
  bool may_come_first() const final { return true; }
};

/// How an array at the end of a path is asked about: its elements one by one and then the whole, or only as a whole ($size).
enum class AtEnd : std::uint8_t { kElements, kWhole };

/// True when `predicate` holds for any value that `path` reaches in `document`, the way filters walk: an array on the way
/// is entered element by element (and by place, where the name is a number); a path that leads nowhere offers one missing
/// value. Notes in `state.reached` which element of an array it was. Allocates nothing.
bool any_along_path(bson::View document, const FieldPath& path, const Predicate& predicate, AtEnd at_end, MatchState& state);
/// The same from where the path's first name has led.
bool any_behind_first(bson::Value first, const FieldPath& path, const Predicate& predicate, AtEnd at_end, MatchState& state);

}  // namespace partita::query
