// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <new>
#include <vector>

#include "query/arena.h"
#include "query/registry.h"

namespace partita::query {

class Collator;

/// What a group knows so far, as functions over raw memory: groups hold the states of all their accumulators inline, one
/// behind the other. States live in arenas and are never destroyed one by one.
struct AccumulatorMethods {
  std::size_t size;
  void (*construct)(void* state, const Collator* collation);
  void (*add)(void* state, bson::Value value, Arena& arena);
  /// What it knows, as a value that another state of the same kind can take in: from the partitions to the merge.
  bson::Value (*partial)(const void* state, Arena& arena);
  void (*merge)(void* state, bson::Value partial, Arena& arena);
  bson::Value (*result)(const void* state, Arena& arena);
};

constexpr std::size_t kStateAlignment = 16;

/// The methods of a class that has add, partial, merge and result. Values that outlast the call are copied into the arena.
/// One that compares is constructed with the collation, which may be null and outlives it.
template <class State>
constexpr AccumulatorMethods methods_of() {
  static_assert(std::is_trivially_destructible_v<State> && alignof(State) <= kStateAlignment);
  constexpr std::size_t size = (sizeof(State) + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
  return {
      size,
      [](void* at, [[maybe_unused]] const Collator* collation) {
        if constexpr (std::is_constructible_v<State, const Collator*>) {
          new (at) State(collation);
        } else {
          new (at) State;
        }
      },
      [](void* state, bson::Value value, Arena& arena) { static_cast<State*>(state)->add(value, arena); },
      [](const void* state, Arena& arena) { return static_cast<const State*>(state)->partial(arena); },
      [](void* state, bson::Value partial, Arena& arena) { static_cast<State*>(state)->merge(partial, arena); },
      [](const void* state, Arena& arena) { return static_cast<const State*>(state)->result(arena); },
  };
}

/// An accumulator of $group.
struct Accumulator {
  std::string_view name;
  std::string_view summary;
  AccumulatorMethods methods = {};  ///< None: it is known but not supported.
  bool takes_argument = true;          ///< $count takes {} instead.
  std::vector<Example> examples = {};  ///< {$sum: "$a"}, an array of documents, the result of one group over them all.

  bool works() const { return methods.size != 0; }
};

}  // namespace partita::query
