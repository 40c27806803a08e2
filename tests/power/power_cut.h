// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "tests/power/record.h"
#include "tools/client/mongo.h"

namespace partita::power {

/// Power cuts for servers that are started while this lives: they get a library interposed that keeps account of what they
/// sync. One at a time; not thread-safe.
class PowerCut {
 public:
  /// `directory` is that of the test::ServerProcess; its database must be new.
  explicit PowerCut(const std::filesystem::path& directory);
  ~PowerCut();
  PowerCut(const PowerCut&) = delete;
  PowerCut& operator=(const PowerCut&) = delete;

  /// The server has been killed. Takes from its data directory all that it had not synced. A Problem when the account is
  /// not to be trusted.
  client::Problem cut();
  Record& record() { return *record_; }

 private:
  void cut_journal();
  void cut_file(const std::filesystem::directory_entry& entry);

  const std::filesystem::path database_;
  const std::filesystem::path image_;
  Record* record_ = nullptr;
};

}  // namespace partita::power
