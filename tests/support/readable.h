// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "wire/bson/view.h"

namespace partita::test {

/// A document as people write it: {a: 1, "b.c": "x"}. Whole numbers of both sizes look alike.
std::string readable(bson::View document);

/// The same for any value, and parse_json() reads it back with its types: longs are NumberLong(5). Object ids that a
/// server has made are printed as zeros, for nobody can foretell them.
std::string readable_typed(bson::Value value);

/// An id made by a clock that runs: tests write theirs with small numbers in front.
bool is_generated(bson::Value value);

}  // namespace partita::test
