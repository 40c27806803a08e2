// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/generic_arguments.h"

/// Read and write concern and read preference, as clients write them. On one machine with one copy most of what they can
/// ask for holds by itself; what they say is checked all the same, so that mistakes show here as they would elsewhere.
namespace partita::commands {

Result<WriteConcern> parse_write_concern(bson::Value value);

struct ReadConcern {
  std::string_view level;  ///< Empty for the default.
  bson::View document;     ///< As it was given.
};
Result<ReadConcern> parse_read_concern(bson::Value value);

Status check_read_preference(bson::View preference);

/// `"mode" had the wrong type. Expected string, found int`: of a field in one of these documents.
Status wrong_field(std::string_view field, std::string_view expected, bson::Value found);

}  // namespace partita::commands
