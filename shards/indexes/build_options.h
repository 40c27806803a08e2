// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>

namespace partita::shards {

/// May be set at any time; a build goes by what it finds at its start.
struct BuildOptions {
  /// What the entries of one build may take in memory. Those that do not fit are sorted by way of temporary files.
  std::atomic<std::size_t> memory_bytes{std::size_t{200} << 20};
};

}  // namespace partita::shards
