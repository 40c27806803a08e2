// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "wire/bson/value.h"

/// Numbers as mongod takes them where it wants whole ones and refuses none: what stands behind the point of a double is cut
/// off, a decimal is rounded, ties to even, NaN is zero, and what does not fit is brought to the nearest end.
namespace partita::bson {

/// `number` is one.
std::int64_t clamped_int64(Value number);
std::int32_t clamped_int32(Value number);

}  // namespace partita::bson
