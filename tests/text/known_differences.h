// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <utility>

#include "tests/support/test_file.h"

namespace partita::test {

/// Cases that our own server is known to answer otherwise than MongoDB, each with its reason, as a .test file: a case
/// there begins with the line "FILE: REASON", then comes the command as it stands in FILE, then what we answer instead.
/// An answer that has come to agree makes its entry wrong, which is a failure: the list cannot grow stale.
class KnownDifferences {
 public:
  /// Throws std::runtime_error when the list cannot be read, or an entry has no reason.
  static KnownDifferences read(const std::string& path);

  /// Another list's entries go before ours.
  void add(KnownDifferences more) {
    more.by_case_.merge(by_case_);
    by_case_ = std::move(more.by_case_);
  }

  struct Difference {
    std::string reason;
    std::string answer;
  };
  /// nullptr when the case has to pass.
  const Difference* find(const TestCase& test) const;

 private:
  std::map<std::pair<std::string, std::string>, Difference> by_case_;  // File and command.
};

}  // namespace partita::test
