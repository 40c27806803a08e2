// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/server/spare_memory.h"

// tcmalloc's, if the program has been linked with it; null otherwise.
extern "C" {
int MallocExtension_GetNumericProperty(const char* property, std::size_t* value) __attribute__((weak));
void MallocExtension_ReleaseToSystem(std::size_t bytes) __attribute__((weak));
}

namespace partita::server {

void SpareMemory::look() {
  if (MallocExtension_GetNumericProperty == nullptr || MallocExtension_ReleaseToSystem == nullptr) return;
  std::size_t free_bytes = 0;
  if (MallocExtension_GetNumericProperty("tcmalloc.pageheap_free_bytes", &free_bytes) == 0) return;
  constexpr std::size_t kPiece = 8 << 20;
  for (std::size_t left = excess(free_bytes); left > 0; left -= std::min(left, kPiece)) {
    MallocExtension_ReleaseToSystem(std::min(left, kPiece));
  }
}

}  // namespace partita::server
