// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partita::test {

/// A command that is written wrongly, and what its refusal has to say: a line of tests/commands/refusals.txt.
struct Refusal {
  std::int64_t code = 0;  ///< Of the reply, or of its first write error.
  std::string word;       ///< What the message must name.
  std::string command;    ///< In relaxed JSON, for database "test".
};

/// All lines of the file. They are for a collection `c` that holds {_id: 1, a: 1} and has the index a_1.
std::vector<Refusal> read_refusals();

}  // namespace partita::test
