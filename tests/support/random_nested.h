// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "tests/support/random.h"
#include "wire/bson/document.h"

/// Documents and paths into them that make the keys of indexes and sorts hard: arrays within arrays, names that are
/// numbers, nulls, missing fields, and few different values.
namespace partita::test {

/// "a" or "b", and up to three parts behind it, some of them numbers.
std::string random_path(Random& random);
/// {a: 1, "b.0.a": -1}: one to three paths, no one twice.
bson::Document random_key_pattern(Random& random);
/// Adds a value of at most so many levels.
void add_nested(bson::Writer& writer, std::string_view name, Random& random, int depth);

}  // namespace partita::test
