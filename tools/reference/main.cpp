// SPDX-License-Identifier: GPL-3.0-or-later
//
// Prints the reference page of commands, server parameters and fail points: ninja partita_reference, then run it.
#include <cstdio>

#include "commands/reference.h"

int main() {
  const std::string page = partita::commands::reference_page();
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
