// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"
#include "wire/error/status.h"

namespace partita::query {

/// A value as one of another type: $convert and $toInt, $toString... Fails with ConversionFailure where the types do not go
/// together, or this value does not fit. `value` is neither null nor missing.
Result<bson::Value> convert_value(bson::Value value, bson::Type to, Arena& arena);
/// A text like 0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60 as the binary value that UUIDs are.
Result<bson::Value> convert_to_uuid(bson::Value value, Arena& arena);

}  // namespace partita::query
