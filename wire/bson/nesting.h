// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::bson {

/// What computes documents may nest them deeper than any that has passed validate(). No client could read them.
constexpr std::size_t kMaxComputedDepth = 200;
/// Code that keeps a place for each level has this many: what is deeper than allowed is found out before it is reached.
constexpr std::size_t kLevelsAtHand = 1024;

/// Whether documents and arrays lie in one another further than that; the outermost one is the first level. A small one
/// cannot be, and is not looked at.
bool nests_deeper(View document, std::size_t levels);
/// Overflow, in MongoDB's words, where it nests deeper than kMaxComputedDepth.
Status check_nesting(View computed);

}  // namespace partita::bson
