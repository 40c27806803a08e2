// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/cores.h"

#include <algorithm>

#include "wire/net/thread_name.h"

namespace partita::wire {

// A socket belongs to one thread, so the reactor need not lock it; posting from other threads stays safe.
Core::Core(unsigned number) : number(number), io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO) {}

Cores::Cores(unsigned count) {
  if (count == 0) count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    Core& core = cores_.emplace_back(i);
    guards_.emplace_back(core.io.get_executor());
    threads_.emplace_back([&core] {
      name_this_thread("io" + std::to_string(core.number));
      core.io.run();
    });
  }
}

void Cores::stop() {
  for (Core& core : cores_) core.io.stop();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace partita::wire
