// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/projection/projection.h"

namespace partita::query {

/// The operand of find's $slice: a number, or [skip, limit].
Result<Slice> parse_slice(bson::Value operand);

}  // namespace partita::query
