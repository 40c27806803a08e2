// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/refusals.h"
#include "tests/support/test_path.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace partita::test {

std::vector<Refusal> read_refusals() {
  const std::string path = test_path("commands/refusals.txt");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Refusal> refusals;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    Refusal refusal;
    words >> refusal.code >> refusal.word >> std::ws;
    if (!std::getline(words, refusal.command)) throw std::runtime_error(path + ": no command in: " + line);
    refusals.push_back(std::move(refusal));
  }
  return refusals;
}

}  // namespace partita::test
