// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/distil.h"

#include <algorithm>

namespace partita::test {
namespace {

/// Small inputs are read, run and changed faster; but no input is so small that it is worth much for that alone.
double worth(std::size_t added, std::size_t size) {
  constexpr double kHandful = 200;
  return static_cast<double>(added) / (kHandful + static_cast<double>(size));
}

std::size_t beyond_all_places(const std::vector<Reach>& inputs) {
  std::size_t beyond = 0;
  for (const Reach& input : inputs)
    for (const std::uint32_t place : input.places) beyond = std::max<std::size_t>(beyond, place + 1);
  return beyond;
}

}  // namespace

std::vector<std::size_t> distil(const std::vector<Reach>& inputs, CorpusLimits limits) {
  std::vector<std::size_t> chosen;
  std::vector<bool> reached(beyond_all_places(inputs));
  const auto added = [&](const Reach& input) {
    return static_cast<std::size_t>(std::ranges::count_if(input.places, [&](auto place) { return !reached[place]; }));
  };
  while (chosen.size() < limits.inputs) {
    std::size_t best = inputs.size();
    double best_worth = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].size > limits.bytes) continue;
      const double its_worth = worth(added(inputs[i]), inputs[i].size);
      if (its_worth > best_worth) best = i, best_worth = its_worth;
    }
    if (best == inputs.size()) break;
    chosen.push_back(best);
    for (const std::uint32_t place : inputs[best].places) reached[place] = true;
    limits.bytes -= inputs[best].size;
  }
  return chosen;
}

}  // namespace partita::test
