// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/text/target.h"

namespace partita::test {

/// Passes commands on, and sees to it that every collection they write to is sharded by its _id before it has documents: a
/// client must not notice. `hashed`: by the hash, over four partitions; else by the value, over partitions that begin at
/// a few values of the cases.
std::unique_ptr<Target> make_sharded_target(std::unique_ptr<Target> target, bool hashed);

}  // namespace partita::test
