// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/known_differences.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace partita::test {

KnownDifferences KnownDifferences::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto cases = parse_test_file(path, text);
  if (!cases.ok()) throw std::runtime_error(cases.status().message());
  KnownDifferences known;
  for (const TestCase& test : *cases) {
    const std::size_t line_end = test.command.find('\n');
    const std::size_t colon = test.command.find(": ");
    if (line_end == std::string::npos || colon > line_end)
      throw std::runtime_error(path + ":" + std::to_string(test.line) + ": wants FILE: REASON, and the command below");
    known.by_case_[{test.command.substr(0, colon), test.command.substr(line_end + 1)}] = {
        test.command.substr(colon + 2, line_end - colon - 2), test.expected};
  }
  return known;
}

const KnownDifferences::Difference* KnownDifferences::find(const TestCase& test) const {
  const auto found = by_case_.find({test.file, test.command});
  return found == by_case_.end() ? nullptr : &found->second;
}

}  // namespace partita::test
