// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace partita::crash {

Ledger::Ledger(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (file_ >= 0) return;
  std::perror(file.c_str());
  std::exit(1);
}

Ledger::~Ledger() { ::close(file_); }

void Ledger::write(const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(file_, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size())) return;
  std::perror("ledger");
  std::exit(1);
}

}  // namespace partita::crash
