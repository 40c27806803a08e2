// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"
#include "shards/catalog/collection.h"

namespace partita::commands {

/// An index in the planner's terms, which looks into the definition. `array_bits` are those of the partitions that are asked.
query::IndexDescription describe_index(const shards::IndexSpec& spec, std::uint64_t array_bits);

}  // namespace partita::commands
