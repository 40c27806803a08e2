// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "wire/error/status.h"

namespace partita::test {

/// One case of a .test file: what is sent, and what comes back.
///
///     # A comment; anywhere outside of a case.
///     update {$inc: {n: 2}} on {_id: 1, n: 40}
///     ----
///     {_id: 1, n: 42}
///
/// A case begins with its first line of text, "----" stands between the two halves, an empty line or the end of the
/// file ends it. A command may go on over several lines; so may an answer.
struct TestCase {
  std::string file;  ///< Seen from the folder that was read, without ".test".
  int line = 0;      ///< Where it begins, from 1.
  std::string command;
  std::string expected;
};

Result<std::vector<TestCase>> parse_test_file(std::string_view name, std::string_view text);

/// The cases of all .test files below a folder, in the order of their paths. A file that cannot be read or parsed yields
/// one case that says so and fails.
std::vector<TestCase> read_test_files(const std::string& folder);

/// The file with other answers: for review by diff when behaviour has changed on purpose. `cases` are those of the file,
/// with `expected` replaced.
std::string with_answers(std::string_view text, const std::vector<TestCase>& cases);

/// A command cut into words and JSON values: {"update", "{$inc: {n: 2}}", "on", "{_id: 1}"}. Blanks inside brackets and
/// quotes do not count.
std::vector<std::string> split_command(std::string_view command);

}  // namespace partita::test
