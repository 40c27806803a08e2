// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/sort_parameters.h"

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

SortLimits& sort_limits() {
  static SortLimits limits;
  return limits;
}

const std::shared_ptr<shards::BuildOptions>& build_options() {
  static const auto kOptions = std::make_shared<shards::BuildOptions>();
  return kOptions;
}

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kMostMegabytes = std::int64_t{1} << 30;

const Custom kSortMemory{
    {.name = "internalQueryMaxBlockingSortMemoryUsageBytes",
     .summary = "What one query may sort in memory; more goes into temporary files, or fails where these are not allowed."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(static_cast<std::int64_t>(sort_limits().memory_bytes.load()))); },
     .write = [](bson::Value value) -> Status {
       TRY(const std::int64_t bytes, whole_from(value, 1));
       sort_limits().memory_bytes = static_cast<std::size_t>(bytes);
       return {};
     },
     .type_name = "long"}};

const Custom kDiskUse{
    {.name = "allowDiskUseByDefault",
     .summary = "Whether queries that do not say allowDiskUse may sort and group by way of temporary files."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(sort_limits().disk_use.load())); },
     .write = [](bson::Value value) -> Status {
       TRY(sort_limits().disk_use, flag_from(value));
       return {};
     },
     .type_name = "bool"}};

const Custom kBuildMemory{
    {.name = "maxIndexBuildMemoryUsageMegabytes",
     .summary = "What the keys of one index build may take in memory; more is sorted by way of temporary files."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(static_cast<std::int64_t>(build_options()->memory_bytes.load()) / kMegabyte)); },
     .write = [](bson::Value value) -> Status {
       constexpr std::int64_t kLeast = 50;  // MongoDB's.
       TRY(const std::int64_t megabytes, whole_from(value, kLeast));
       build_options()->memory_bytes = static_cast<std::size_t>(std::min(megabytes, kMostMegabytes) * kMegabyte);
       return {};
     },
     .type_name = "int"}};

}  // namespace
}  // namespace partita::commands::parameters
