// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/balance_parameters.h"

#include <string>

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

const std::shared_ptr<shards::BalanceOptions>& balance_options() {
  static const auto kOptions = std::make_shared<shards::BalanceOptions>();
  return kOptions;
}

namespace {

using shards::BalanceOptions;

/// Tests split by kilobytes; below that a partition would be a document.
constexpr std::int64_t kLeastBytes = 1024;
constexpr std::int64_t kMostAgeSeconds = 365 * 24 * 60 * 60;

bson::OwnedValue as_bson(std::int64_t number) { return bson::OwnedValue(bson::Value::of(number)); }
bson::OwnedValue as_bson(bool flag) { return bson::OwnedValue(bson::Value::of(flag)); }

const Custom kPartitionBytes{
    {.name = "partitionSizeLimitBytes", .summary = "A partition of a sharded collection that has reached this size is split."},
    {.read = [] { return as_bson(balance_options()->partition_bytes.load()); },
     .write = [](bson::Value value) -> Status {
       TRY(const std::int64_t bytes, whole_from(value, kLeastBytes));
       balance_options()->partition_bytes = bytes;
       return {};
     },
     .type_name = "long"}};

const Custom kAutoSplit{
    {.name = "enableAutoSplit", .summary = "Partitions that have grown to partitionSizeLimitBytes are split by the server itself."},
    {.read = [] { return as_bson(balance_options()->splits.load()); },
     .write = [](bson::Value value) -> Status {
       TRY(balance_options()->splits, flag_from(value));
       return {};
     },
     .type_name = "bool"}};

const Custom kAutoMerge{
    {.name = "enableAutoMerge", .summary = "Parts of a split that stay small are merged by the server itself."},
    {.read = [] { return as_bson(balance_options()->merges.load()); },
     .write = [](bson::Value value) -> Status {
       TRY(balance_options()->merges, flag_from(value));
       return {};
     },
     .type_name = "bool"}};

const Custom kMergeAge{
    {.name = "partitionMergeAgeSecs", .summary = "How long a partition stays as it is, at least, before the server merges it."},
    {.read = [] { return as_bson(balance_options()->merge_age_ms.load() / 1000); },
     .write = [](bson::Value value) -> Status {
       TRY(const std::int64_t seconds, whole_from(value, 0, kMostAgeSeconds));
       balance_options()->merge_age_ms = seconds * 1000;
       return {};
     },
     .type_name = "long"}};

}  // namespace
}  // namespace partita::commands::parameters
