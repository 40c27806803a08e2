// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "wire/bson/types.h"

namespace partita::commands {

/// What the clock on the wall says, for replies. Nothing that is stored or ordered comes from here.
inline bson::Date now_as_date() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

}  // namespace partita::commands
