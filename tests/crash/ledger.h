// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace partita::crash {

/// A writer's diary, kept outside the database for whoever has to explain a failed round: each statement before it is
/// sent, and that it was acknowledged once it was. Lines go straight to the kernel, so they are there whatever dies.
///
///     sent 212 update 17:3>4
///     done 212
class Ledger {
 public:
  /// Ends the program when the file cannot be made: without its diary the test proves nothing.
  explicit Ledger(const std::filesystem::path& file);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  void write(const std::string& line);

 private:
  int file_;
};

}  // namespace partita::crash
