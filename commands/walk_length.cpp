// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/walk_length.h"

#include <array>
#include <cstring>

namespace partita::commands {

WalkLength& WalkLength::of(const shards::Collection& collection, const shards::ScanOrder& order) {
  constexpr std::size_t kPlaces = 4096;
  static std::array<WalkLength, kPlaces> places;
  const std::uint32_t index = order.index == nullptr ? 0 : order.index->id;
  std::size_t random = 0;  // As the last bytes of an UUID are.
  std::memcpy(&random, collection.uuid.data() + sizeof(random), sizeof(random));
  return places[(random + index * std::size_t{0x9e3779b9}) % kPlaces];
}

}  // namespace partita::commands
