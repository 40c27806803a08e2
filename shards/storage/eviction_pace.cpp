// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/eviction_pace.h"

namespace partita::shards {
namespace {

constexpr std::chrono::milliseconds kWindow(500);
/// In a window: 16 MB a second, which one client with batches of small documents reaches and single writes hardly do.
constexpr std::uint64_t kMuch = 8 << 20;
/// Clients who fill a collection may rest between two batches.
constexpr std::chrono::seconds kRest(2);

}  // namespace

std::optional<Eviction> EvictionPace::look(TimePoint now, std::uint64_t written) {
  if (now - window_began_ < kWindow) return std::nullopt;
  if (written - window_bytes_ >= kMuch) last_fast_ = now;
  window_began_ = now;
  window_bytes_ = written;
  const Eviction wanted = now - last_fast_ < kRest ? Eviction::kLate : Eviction::kEarly;
  if (wanted == current_) return std::nullopt;
  return current_ = wanted;
}

}  // namespace partita::shards
