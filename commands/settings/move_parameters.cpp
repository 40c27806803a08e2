// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/move_parameters.h"

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

const std::shared_ptr<shards::MoveOptions>& move_options() {
  static const auto kOptions = std::make_shared<shards::MoveOptions>();
  return kOptions;
}

namespace {

Status set_bytes(std::string_view name, bson::Value value, std::atomic<std::int64_t>& to) {
  const auto bytes = value.exact_int64();
  if (!bytes || *bytes < 0) return error(Code::BadValue, "Invalid value for parameter ", name, ": it must be a whole number of bytes");
  to = *bytes;
  return {};
}

const Custom kMoveOut{
    {.name = "enableAutoMoveOut", .summary = "Partitions that share tables after a split get tables of their own when it is quiet."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->enabled.load())); },
     .write = [](bson::Value value) -> Status {
       if (!value.is(bson::Type::kBool) && !value.is_number()) {
         return error(Code::BadValue, "Invalid value for parameter enableAutoMoveOut: it must be true or false");
       }
       move_options()->enabled = value.truthy();
       return {};
     },
     .type_name = "bool"}};

const Custom kLeastBytes{
    {.name = "moveOutLeastBytes", .summary = "Partitions that share tables of less stay in them."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->least_bytes.load())); },
     .write = [](bson::Value value) { return set_bytes("moveOutLeastBytes", value, move_options()->least_bytes); },
     .type_name = "long"}};

const Custom kQuietBytes{
    {.name = "moveOutQuietBytesPerSec", .summary = "While more than that is written in a second, no partitions move out."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->quiet_bytes_per_second.load())); },
     .write = [](bson::Value value) { return set_bytes("moveOutQuietBytesPerSec", value, move_options()->quiet_bytes_per_second); },
     .type_name = "long"}};

}  // namespace
}  // namespace partita::commands::parameters
