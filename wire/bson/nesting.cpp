// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/nesting.h"

#include "wire/bson/validate.h"

namespace partita::bson {

bool nests_deeper(View document, std::size_t levels) {
  constexpr std::size_t kSmallest = 7;  // A length, a type, the end of a name, and its own end.
  return document.size() >= kSmallest * levels && static_cast<std::size_t>(depth(document)) > levels;
}

Status check_nesting(View computed) {
  if (!nests_deeper(computed, kMaxComputedDepth)) [[likely]] return {};
  return error(Code::Overflow, "cannot convert document to BSON because it exceeds the limit of ", kMaxComputedDepth, " levels of nesting");
}

}  // namespace partita::bson
