// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "tests/text/target.h"

namespace partita::test {

/// What one .test file says to a server, case by case, over a database ("text") that is empty when it begins.
///
/// A case is one or several commands as JSON, each answered in turn; a command may name another database with $db.
/// `$cursor` stands for the id of the last cursor opened, `$x(1000)` for a thousand times "x".
/// Cases of the language (`match {...} on {...}`, see tests/query/language.h) become the commands that mean the same.
class Conversation {
 public:
  explicit Conversation(Target& target);

  /// The answer in lines, or why there is none: the case cannot be read, or the server is gone.
  std::string answer(std::string_view command);

 private:
  std::string run_each(const std::string& commands);
  std::string run(const std::string& command);

  Target& target_;
  std::int64_t cursor_ = 0;
};

/// Replaces $x(N). For expectations, which may show what a command has sent.
std::string expand(std::string_view text);

}  // namespace partita::test
