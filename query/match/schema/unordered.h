// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "wire/bson/view.h"

namespace partita::query {

/// An order in which documents of the same fields are equal, whichever way these stand, at any depth; for all else it is
/// equality as bson::compare has it. What schemas mean by the same value.
std::weak_ordering compare_unordered(bson::Value a, bson::Value b);

}  // namespace partita::query
