// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/group_spill.h"

#include <algorithm>

namespace partita::query {

Status GroupSpill::add(std::span<const std::uint8_t> key, bson::View partial) {
  key_.clear();
  key_.append(key);
  key_.put(__builtin_bswap32(generation_));
  return sort_.add({partial.bytes(), key_.bytes()});
}

Result<bool> GroupSpill::next(Partial& partial) {
  KeyedBytes row;
  TRY(const bool more, sort_.next(row));
  if (!more) return false;
  const std::span<const std::uint8_t> key = row.key.first(row.key.size() - sizeof generation_);
  partial = {bson::View::trusted(row.bytes.data()), !std::ranges::equal(key, last_.bytes())};
  last_.clear();
  last_.append(key);
  return true;
}

}  // namespace partita::query
