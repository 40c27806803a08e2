// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/settings/balance_parameters.h"

namespace partita::test {

/// The server splits and merges nothing of its own accord, but what a test turns on; afterwards all is as it is by default.
/// To be declared before the server.
class BalanceSettings {
 public:
  BalanceSettings() { options_.splits = options_.merges = false; }
  ~BalanceSettings() {
    options_.splits = options_.merges = true;
    options_.partition_bytes = shards::BalanceOptions::kPartitionBytes;
    options_.merge_age_ms = shards::BalanceOptions::kMergeAgeMs;
  }
  BalanceSettings(const BalanceSettings&) = delete;
  BalanceSettings& operator=(const BalanceSettings&) = delete;

  shards::BalanceOptions& operator*() { return options_; }
  shards::BalanceOptions* operator->() { return &options_; }

 private:
  shards::BalanceOptions& options_ = *commands::parameters::balance_options();
};

}  // namespace partita::test
