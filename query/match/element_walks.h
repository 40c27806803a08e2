// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "query/match/path_walk.h"

namespace partita::query {

/// The $elemMatch clauses that a matcher stands in, the innermost on top: each is the walk over the elements of the arrays
/// that its path leads to. A filter nests as deep as its parser allows, documents as deep as validation does; the memory
/// for it is taken once in a scan.
class ElementWalks {
 public:
  /// What to walk over. Elements that are neither documents nor arrays are passed over with `only_documents`.
  struct Arrays {
    bson::Value from;                 ///< The document that the path begins in; without a path, the array itself.
    const FieldPath* path = nullptr;
    bool only_documents = false;
    std::int32_t step = 0;            ///< The caller's: which clause asks.
  };

  void open(const Arrays& arrays, FieldLookup* lookup);
  /// The next element, or nullopt when there is none left.
  std::optional<bson::Value> next(FieldLookup* lookup);
  /// Which element of the outermost array the last one lies in.
  std::int64_t place() const {
    const Walk& walk = walks_.back();
    return walk.origin == kNoOrigin ? walk.place : walk.origin;
  }
  void close();

  bool none() const { return walks_.empty(); }
  const Arrays& innermost() const { return walks_.back().arrays; }

 private:
  struct Walk {
    Arrays arrays;
    std::size_t tasks;               ///< Those from here on belong to this walk and to the ones inside.
    const std::uint8_t* at;          ///< The next element; nullptr without an array.
    std::int64_t place = -1;         ///< In that array.
    std::int32_t origin = kNoOrigin;
  };
  static void enter(Walk& walk, bson::Value value);

  std::vector<Walk> walks_;
  std::vector<PathTask> tasks_;
};

}  // namespace partita::query
