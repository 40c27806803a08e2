// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs seed after seed until one fails, the count is reached or the time is over. With --break a failure is what is wanted.
#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <random>

#include "tests/simulation/run.h"

namespace {

using namespace partita::simulation;

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;
  double seconds = 0;
  bool seed_given = false;
  Sabotage sabotage = Sabotage::kNone;
};

Options parse(int argc, char** argv) {
  CLI::App app("Runs nodes, logs and clients in virtual time, with everything that can go wrong, seed after seed.");
  Options options;
  const std::map<std::string, Sabotage> sabotages{
      {"fence", Sabotage::kFence}, {"retries", Sabotage::kRetries}, {"lost", Sabotage::kLost},
      {"confirm", Sabotage::kConfirm}};
  CLI::Option* seed = app.add_option("--seed", options.seed, "the first seed; drawn when it is not given");
  app.add_option("--count", options.count, "how many seeds; 1 when --seed is given and there is no time limit");
  app.add_option("--seconds", options.seconds, "for how long");
  app.add_option("--break", options.sabotage, "takes something away, to see that it is missed")
      ->transform(CLI::CheckedTransformer(sabotages));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    std::exit(app.exit(failure));
  }
  options.seed_given = seed->count() > 0;
  if (!options.seed_given) options.seed = std::uint64_t{std::random_device()()} << 16;
  if (options.count == 0 && options.seconds == 0) options.count = options.seed_given ? 1 : 1000;
  return options;
}

void print(const Tally& tally, std::uint64_t seeds, double seconds) {
  std::cout << seeds << " seeds in " << seconds << " s: " << tally.records << " records, " << tally.void_records << " void, "
            << tally.epochs << " epochs, " << tally.barriers << " barriers, " << tally.crashes << " crashes, "
            << tally.acknowledged << " acknowledged, " << tally.lost << " lost, " << tally.repeated << " repeated, "
            << tally.catalog_changes << " catalog changes\n";
}

/// A thousand runs without any of these have tested nothing.
bool has_seen_everything(const Tally& tally) {
  return tally.void_records > 0 && tally.epochs > 0 && tally.barriers > 0 && tally.crashes > 0 && tally.lost > 0 &&
         tally.repeated > 0 && tally.catalog_changes > 0;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const Options options = parse(argc, argv);
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const bool sabotaged = options.sabotage != Sabotage::kNone;
  Tally tally;
  std::uint64_t seeds = 0;
  for (; (options.count == 0 || seeds < options.count) && (options.seconds == 0 || elapsed() < options.seconds); ++seeds) {
    Run run(options.seed + seeds, options.sabotage);
    const std::string failure = run.run();
    tally += run.tally();
    if (failure.empty()) continue;
    std::cout << "seed " << options.seed + seeds << ": " << failure << "\n"
              << (sabotaged ? "missed, as it should be\n" : "again: simulation --seed N\n");
    return sabotaged ? 0 : 1;
  }
  print(tally, seeds, elapsed());
  if (sabotaged) std::cout << "nothing missed what was taken away\n";
  const bool seen = seeds < 100 || has_seen_everything(tally);
  if (!seen) std::cout << "the runs have not met everything that they are for\n";
  return sabotaged || !seen ? 1 : 0;
}
