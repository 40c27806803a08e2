// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/ttl_parameters.h"

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

const std::shared_ptr<shards::TtlOptions>& ttl_options() {
  static const auto kOptions = std::make_shared<shards::TtlOptions>();
  return kOptions;
}

namespace {

const Custom kEnabled{
    {.name = "ttlMonitorEnabled", .summary = "Documents that have expired by an index with expireAfterSeconds are deleted."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(ttl_options()->enabled.load())); },
     .write = [](bson::Value value) -> Status {
       TRY(ttl_options()->enabled, flag_from(value));
       return {};
     },
     .type_name = "bool"}};

const Custom kSleep{
    {.name = "ttlMonitorSleepSecs", .summary = "Seconds between two looks for documents that have expired."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(ttl_options()->sleep_seconds.load())); },
     .write = [](bson::Value value) -> Status {
       TRY(ttl_options()->sleep_seconds, whole_from(value, 1, INT32_MAX));
       return {};
     },
     .type_name = "int"}};

}  // namespace
}  // namespace partita::commands::parameters
