// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/writer.h"

namespace partita::bson {

/// An int where it fits and a long where it must: so mongod writes counts and sizes, and clients compare types.
inline void add_number(Writer& to, std::string_view name, std::int64_t number) {
  const auto narrow = static_cast<std::int32_t>(number);
  if (narrow == number) {
    to.add(name, narrow);
  } else {
    to.add(name, number);
  }
}

}  // namespace partita::bson
