// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/text/target.h"

namespace partita::test {

/// Passes commands on, and sees to it that every collection they write to is sharded before it has documents: a client must
/// not notice. "hash": by the hash of the _id, over four partitions; "value": by its value, over partitions that begin at
/// a few values of the cases; "within": over the same, by a field that no document has, so that all are one logical key.
std::unique_ptr<Target> make_sharded_target(std::unique_ptr<Target> target, std::string manner);

}  // namespace partita::test
