// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/accumulator.h"
#include "query/accumulators/value_list.h"
#include "query/collation/collator.h"
#include "query/keys/encode.h"
#include "query/keys/hash.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// A list without doubles, and a hash table of places in it. Hashes are those of the encoded values, which are equal when
/// the values are.
class AddToSet {
 public:
  explicit AddToSet(const Collator* collation) : collation_(collation) {}
  void add(Value value, Arena& arena) {
    if (value.missing()) return;
    const std::uint64_t hash = hash_of(value, arena);
    if (!find(value, hash)) insert(value, hash, arena);
  }
  Value partial(Arena& arena) const { return list_.as_array(arena); }
  void merge(Value partial, Arena& arena) {
    const View values = partial.as_document();
    for (auto at = values.begin(); at != values.end(); ++at) add(at->value, arena);
  }
  Value result(Arena& arena) const { return list_.as_array(arena); }

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t place;  // In the list, from 1; 0 is an empty slot.
  };

  std::uint64_t hash_of(Value value, Arena& arena) const {
    bson::Buffer& key = arena.scratch();
    keys::encode(value, key, nullptr, collation_);
    return keys::hash(key.bytes());
  }

  bool find(Value value, std::uint64_t hash) const {
    if (slots_ == nullptr) return false;
    for (std::uint64_t at = hash;; ++at) {
      const Slot& slot = slots_[at & mask_];
      if (slot.place == 0) return false;
      if (slot.hash == hash && bson::equal(list_[slot.place - 1], value, collation_)) return true;
    }
  }

  void insert(Value value, std::uint64_t hash, Arena& arena) {
    if (slots_ == nullptr || list_.size() * 2 > mask_) grow(arena);
    list_.push(value, arena);
    place(slots_, {hash, list_.size()});
  }

  void grow(Arena& arena) {
    const Slot* const old = slots_;
    const std::uint64_t old_count = slots_ == nullptr ? 0 : mask_ + 1;
    mask_ = old_count == 0 ? 7 : old_count * 2 - 1;
    slots_ = reinterpret_cast<Slot*>(arena.allocate((mask_ + 1) * sizeof(Slot), alignof(Slot)));
    std::fill(slots_, slots_ + mask_ + 1, Slot{0, 0});
    for (std::uint64_t i = 0; i < old_count; ++i)
      if (old[i].place != 0) place(slots_, old[i]);
  }

  void place(Slot* slots, Slot slot) const {
    std::uint64_t at = slot.hash;
    while (slots[at & mask_].place != 0) ++at;
    slots[at & mask_] = slot;
  }

  const Collator* collation_;
  ValueList list_;
  Slot* slots_ = nullptr;
  std::uint64_t mask_ = 0;
};

const RegisterEntry<Accumulator> kAddToSet{{
    .name = "$addToSet",
    .summary = "An array of the different values; missing ones are left out.",
    .methods = methods_of<AddToSet>(),
    .examples = {{"{$addToSet: '$a'}", "[{a: 1}, {a: 1.0}, {}, {a: 'x'}, {a: [1]}, {a: 'x'}]", "[1, 'x', [1]]"}},
}};

}  // namespace
}  // namespace partita::query
