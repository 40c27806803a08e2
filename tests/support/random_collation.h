// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "tests/support/random.h"
#include "wire/bson/document.h"

namespace partita::test {

/// Pieces of texts that collations tell apart in different ways. Only such as all versions of ICU order alike.
inline constexpr std::string_view kCollatedPieces[] = {"a", "A", "b", "B", "\u00e4", "\u00c4", "z", "o", "\u00f6", "ss", "10", "9", " ", "-", ".", "e", "\u00e9", "\u00ea", "ch"};

/// A collation with random options, one that mongod takes.
bson::Document random_collation(Random& random);

}  // namespace partita::test
