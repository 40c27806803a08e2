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
       if (!value.is(bson::Type::kBool) && !value.is_number()) {
         return error(Code::BadValue, "Invalid value for parameter ttlMonitorEnabled: it must be true or false");
       }
       ttl_options()->enabled = value.truthy();
       return {};
     },
     .type_name = "bool"}};

const Custom kSleep{
    {.name = "ttlMonitorSleepSecs", .summary = "Seconds between two looks for documents that have expired."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(ttl_options()->sleep_seconds.load())); },
     .write = [](bson::Value value) -> Status {
       const auto seconds = value.exact_int64();
       if (!seconds || *seconds <= 0 || *seconds > INT32_MAX) {
         return error(Code::BadValue, "Invalid value for parameter ttlMonitorSleepSecs: it must be a whole number greater than 0");
       }
       ttl_options()->sleep_seconds = *seconds;
       return {};
     },
     .type_name = "int"}};

}  // namespace
}  // namespace partita::commands::parameters
