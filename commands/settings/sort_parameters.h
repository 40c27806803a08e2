// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "shards/indexes/build_options.h"

namespace partita::commands::parameters {

/// What sorts and groups of queries may use.
struct SortLimits {
  std::atomic<std::size_t> memory_bytes{std::size_t{100} << 20};  ///< Of one query, before it goes to files.
  std::atomic<bool> disk_use{true};                               ///< Where the query does not say.
};
SortLimits& sort_limits();

/// What maxIndexBuildMemoryUsageMegabytes sets: a store is opened with it.
const std::shared_ptr<shards::BuildOptions>& build_options();

}  // namespace partita::commands::parameters
