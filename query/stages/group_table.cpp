// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/group_table.h"

#include "query/keys/encode.h"
#include "query/keys/hash.h"

namespace partita::query {

GroupTable::GroupTable(std::vector<const Accumulator*> accumulators, const Collator* collation)
    : accumulators_(std::move(accumulators)), collation_(collation), slots_(64) {
  for (const Accumulator* accumulator : accumulators_) {
    offsets_.push_back(states_size_);
    states_size_ += accumulator->methods.size;
  }
}

Group& GroupTable::find_or_add(bson::Value id) {
  key_.clear();
  keys::encode(id, key_, nullptr, collation_);
  const std::uint64_t hash = keys::hash(key_.bytes());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.group == nullptr) return add(id, hash, slot);
    if (slot.hash == hash && slot.group->key.size() == key_.size() &&
        std::memcmp(slot.group->key.data(), key_.data(), key_.size()) == 0)
      return *slot.group;
  }
}

Group& GroupTable::add(bson::Value id, std::uint64_t hash, Slot& slot) {
  auto* const group = arena_.make<Group>();
  group->id = arena_.copy(id);
  group->hash = hash;
  group->key = arena_.copy(key_.bytes());
  group->states = arena_.allocate(states_size_, kStateAlignment);
  for (std::size_t i = 0; i < accumulators_.size(); ++i)
    accumulators_[i]->methods.construct(group->states + offsets_[i], collation_);
  slot = {hash, group};
  groups_.push_back(group);
  if (groups_.size() * 2 > slots_.size()) grow();
  return *group;
}

void GroupTable::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (Group* group : groups_) {
    std::size_t at = group->hash & mask;
    while (larger[at].group != nullptr) at = (at + 1) & mask;
    larger[at] = {group->hash, group};
  }
  slots_ = std::move(larger);
}

}  // namespace partita::query
