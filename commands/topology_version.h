// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/writer.h"

namespace partita::commands {

/// What tells a client whether the server is still the one, and in the state, that it last heard of. A hello that
/// carries it is answered when it is out of date, or when the client's patience ends.
struct TopologyVersion {
  bson::ObjectId process{};
  std::int64_t counter = 0;

  /// For a server that starts now.
  static TopologyVersion fresh();
  /// As a client sends it back.
  static Result<TopologyVersion> parse(bson::Value value);
  void write(bson::Writer& reply) const;

  bool operator==(const TopologyVersion&) const = default;
};

}  // namespace partita::commands
