// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/nesting.h"

namespace partita::bson {

bool nests_deeper(View document, std::size_t levels) {
  constexpr std::size_t kSmallest = 7;  // A length, a type, the end of a name, and its own end.
  if (document.size() < kSmallest * levels) return false;
  const std::uint8_t* at = document.data() + 4;
  const std::uint8_t* const end = document.data() + document.size();
  std::size_t open = 1;
  while (open > 0) {
    const auto type = static_cast<Type>(*at);
    if (type == Type::kEnd) {
      ++at;
      --open;
      continue;
    }
    const std::uint8_t* const payload = at + 2 + name_length(at + 1, end);
    const bool nested = type == Type::kDocument || type == Type::kArray;
    if (nested && ++open > levels) return true;
    at = nested ? payload + 4 : payload + payload_size(type, payload);
  }
  return false;
}

Status check_nesting(View computed) {
  if (!nests_deeper(computed, kMaxComputedDepth)) [[likely]] return {};
  return error(Code::Overflow, "cannot convert document to BSON because it exceeds the limit of ", kMaxComputedDepth, " levels of nesting");
}

}  // namespace partita::bson
