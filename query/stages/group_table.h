// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/accumulators/accumulator.h"

namespace partita::query {

/// One group: its _id and behind it, inline, the states of its accumulators.
struct Group {
  bson::Value id;
  std::uint64_t hash;
  std::span<const std::uint8_t> key;
  std::uint8_t* states;
};

/// The groups of one $group, found by their encoded _id. Everything lies in one arena, whose size is what the memory cap
/// looks at. One thread at a time.
class GroupTable {
 public:
  explicit GroupTable(std::vector<const Accumulator*> accumulators, const Collator* collation = nullptr);

  /// The group of this _id, made if it is new. Values that compare equal are one group; the first one seen names it.
  Group& find_or_add(bson::Value id);

  std::size_t size() const { return groups_.size(); }
  Group& operator[](std::size_t i) { return *groups_[i]; }
  void* state(const Group& group, std::size_t accumulator) const { return group.states + offsets_[accumulator]; }
  std::size_t memory() const {
    return arena_.reserved() + slots_.capacity() * sizeof(Slot) + groups_.capacity() * sizeof(Group*);
  }
  Arena& arena() { return arena_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Group* group = nullptr;
  };

  Group& add(bson::Value id, std::uint64_t hash, Slot& slot);
  void grow();

  std::vector<const Accumulator*> accumulators_;
  const Collator* collation_;
  std::vector<std::size_t> offsets_;
  std::size_t states_size_ = 0;
  Arena arena_;
  std::vector<Slot> slots_;  // A power of two of them, at most half full.
  std::vector<Group*> groups_;
  bson::Buffer key_;
};

}  // namespace partita::query
