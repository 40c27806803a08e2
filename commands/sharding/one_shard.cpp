// SPDX-License-Identifier: GPL-3.0-or-later
//
// Commands that would make shards come, go or differ. Each says what is so, and none pretends.
#include "commands/arguments.h"
#include "commands/sharding/shards.h"
#include "commands/version.h"

namespace partita::commands {
namespace {

struct AddShardRequest {
  std::optional<std::string_view> name;
};
const Arguments<AddShardRequest> kAddShard{{"name", &AddShardRequest::name}, {"maxSize", nullptr}};  // Of old servers.

Status add_shard(Operation& operation, bson::Writer&) {
  CHECK_OK(kAddShard.parse("addShard", operation.request()).status());
  if (!operation.target().is_string()) return wrong_type("addShard", "addShard", operation.target(), "string");
  return error(Code::OperationFailed, "this server is the only shard, '", kNodeName, "', and takes no others: cannot add ",
               operation.target().as_string());
}

Status remove_shard(Operation& operation, bson::Writer&) {
  CHECK_OK(no_arguments("removeShard", operation.request()));
  if (!operation.target().is_string()) return wrong_type("removeShard", "removeShard", operation.target(), "string");
  CHECK_OK(check_shard(operation.target().as_string()));
  return error(Code::IllegalOperation, "Operation not allowed because it would remove the last shard");
}

struct ZoneRequest {
  bson::Value zone;
  bson::View min, max;
};
const Arguments<ZoneRequest> kZone{{"zone", &ZoneRequest::zone}};
const Arguments<ZoneRequest> kZoneRange{
    {"zone", &ZoneRequest::zone}, {"min", &ZoneRequest::min, Rule::kRequired}, {"max", &ZoneRequest::max, Rule::kRequired}};

Status no_zones() {
  return error(Code::IllegalOperation, "there are no zones: with one shard, '", kNodeName, "', they could place nothing");
}

Status change_zone(Operation& operation, bson::Writer&) {
  CHECK_OK(kZone.parse(operation.name(), operation.request()).status());
  if (!operation.target().is_string()) return wrong_type(operation.name(), operation.name(), operation.target(), "string");
  CHECK_OK(check_shard(operation.target().as_string()));
  return no_zones();
}

Status update_zone_key_range(Operation& operation, bson::Writer&) {
  TRY(const ZoneRequest request, kZoneRange.parse("updateZoneKeyRange", operation.request()));
  CHECK_OK(parse_full_name(operation).status());
  return request.zone.is_null() ? Status() : no_zones();  // Null takes a range out of its zone: it is in none.
}

const Register kAddShardCommand{{
    .name = "addShard",
    .aliases = {"addshard"},
    .help = "Adds a shard; this server has no room for others.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = add_shard,
}};

const Register kRemoveShardCommand{{
    .name = "removeShard",
    .aliases = {"removeshard"},
    .help = "Removes a shard; the only one cannot go.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = remove_shard,
}};

const Register kAddShardToZoneCommand{{
    .name = "addShardToZone",
    .help = "Puts a shard into a zone; there are none.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = change_zone,
}};

const Register kRemoveShardFromZoneCommand{{
    .name = "removeShardFromZone",
    .help = "Takes a shard out of a zone; there are none.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = change_zone,
}};

const Register kUpdateZoneKeyRangeCommand{{
    .name = "updateZoneKeyRange",
    .help = "Ties a range of shard keys to a zone; there are none.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = update_zone_key_range,
}};

}  // namespace
}  // namespace partita::commands
