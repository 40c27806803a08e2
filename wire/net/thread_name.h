// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pthread.h>

#include <string>

namespace partita::wire {

/// Names the calling thread for ps, perf and gdb. Linux keeps 15 characters.
inline void name_this_thread(std::string name) {
  constexpr std::size_t kKept = 15;
  if (name.size() > kKept) name.resize(kKept);
  pthread_setname_np(pthread_self(), name.c_str());
}

}  // namespace partita::wire
