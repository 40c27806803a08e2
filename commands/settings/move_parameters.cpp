// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/move_parameters.h"

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

const std::shared_ptr<shards::MoveOptions>& move_options() {
  static const auto kOptions = std::make_shared<shards::MoveOptions>();
  return kOptions;
}

namespace {

Status set_bytes(bson::Value value, std::atomic<std::int64_t>& to) {
  TRY(to, whole_from(value, 0));
  return {};
}

const Custom kMoveOut{
    {.name = "enableAutoMoveOut", .summary = "Partitions that share tables after a split get tables of their own when it is quiet."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->enabled.load())); },
     .write = [](bson::Value value) -> Status {
       TRY(move_options()->enabled, flag_from(value));
       return {};
     },
     .type_name = "bool"}};

const Custom kLeastBytes{
    {.name = "moveOutLeastBytes", .summary = "Partitions that share tables of less stay in them."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->least_bytes.load())); },
     .write = [](bson::Value value) { return set_bytes(value, move_options()->least_bytes); },
     .type_name = "long"}};

const Custom kQuietBytes{
    {.name = "moveOutQuietBytesPerSec", .summary = "While more than that is written in a second, no partitions move out."},
    {.read = [] { return bson::OwnedValue(bson::Value::of(move_options()->quiet_bytes_per_second.load())); },
     .write = [](bson::Value value) { return set_bytes(value, move_options()->quiet_bytes_per_second); },
     .type_name = "long"}};

}  // namespace
}  // namespace partita::commands::parameters
