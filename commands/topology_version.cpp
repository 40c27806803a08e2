// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/topology_version.h"

#include <ctime>
#include <random>

#include "commands/arguments.h"

namespace partita::commands {
namespace {

constexpr std::string_view kWhere = "hello.topologyVersion";

}  // namespace

TopologyVersion TopologyVersion::fresh() {
  TopologyVersion version;
  const auto now = static_cast<std::uint32_t>(std::time(nullptr));
  for (std::size_t i = 0; i < 4; ++i) version.process.bytes[i] = static_cast<std::uint8_t>(now >> (24 - 8 * i));
  std::random_device device;
  for (std::size_t i = 4; i < version.process.bytes.size(); ++i) {
    version.process.bytes[i] = static_cast<std::uint8_t>(device());
  }
  return version;
}

Result<TopologyVersion> TopologyVersion::parse(bson::Value value) {
  if (!value.is_document()) return wrong_type("hello", "topologyVersion", value, "object");
  TopologyVersion version;
  bool process = false;
  bool counter = false;
  for (const auto& [name, field] : value.as_document()) {
    if (name == "processId") {
      if (!field.is(bson::Type::kObjectId)) return wrong_type(kWhere, name, field, "objectId");
      version.process = field.as_object_id();
      process = true;
    } else if (name == "counter") {
      if (!field.is(bson::Type::kInt64)) return wrong_type(kWhere, name, field, "long");
      version.counter = field.as_int64();
      counter = true;
    } else {
      return unknown_field(kWhere, name);
    }
  }
  if (!process) return missing_field(kWhere, "processId");
  if (!counter) return missing_field(kWhere, "counter");
  if (version.counter < 0) return error(Code{31372}, "topologyVersion must have a non-negative counter");
  return version;
}

void TopologyVersion::write(bson::Writer& reply) const {
  bson::Writer version = reply.document("topologyVersion");
  version.add("processId", process);
  version.add("counter", counter);
}

}  // namespace partita::commands
