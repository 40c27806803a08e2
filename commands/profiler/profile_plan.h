// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "commands/operation.h"

namespace partita::commands {

/// How a profiled operation was answered, in the words of explain: queryHash, planCacheKey, execStats. Nothing of that is kept
/// while operations run. The command is planned once more when it has ended, by what the cache knows of its plan, and told
/// only where that leads the way which has been gone; so it costs those alone that are written down.
class ProfilePlan {
 public:
  /// `command` as it would be sent by itself, with its $db. What cannot be explained has no plan, nor has who is asked beside
  /// several partitions: their plans are told by explain alone.
  ProfilePlan(Operation& operation, bson::View command, std::string_view plan_summary);

  /// What has been counted. Of stages by whose rows nobody has counted none are told.
  struct Walked {
    std::int64_t keys = 0;
    std::int64_t documents = 0;
    std::int64_t millis = 0;
    bool ended = true;
    std::optional<std::int64_t> returned = {};  ///< Rows that the client got.
    std::optional<std::int64_t> used = {};      ///< Counted, updated or deleted.
    std::int64_t modified = 0;
  };
  void write_hashes(bson::Writer& out) const;
  void write_stats(const Walked& walked, bson::Writer& out) const;

 private:
  bson::Document planner_;  ///< Empty: nothing is told.
  bool same_way_ = false;
};

}  // namespace partita::commands
