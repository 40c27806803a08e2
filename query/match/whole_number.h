// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::query {

/// Operands that must be whole numbers, of any of the four number types. The fields' names stand in the errors, which say
/// what is wrong with FailedToParse.
Result<std::int64_t> whole_number(const bson::Field& field);
/// Not below zero.
Result<std::int64_t> whole_count(const bson::Field& field);
/// Not below zero, and not more than an int holds.
Result<std::int32_t> whole_small_count(const bson::Field& field);

/// A number without what stands behind its point; nullopt for what is none, NaN, infinities, and what 64 bits do not hold.
std::optional<std::int64_t> truncated(bson::Value number);

}  // namespace partita::query
