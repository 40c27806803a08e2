// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/path/field_gather.h"

#include <algorithm>

namespace partita::query {

using bson::Type;
using bson::Value;

std::optional<std::size_t> FieldGather::add(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto place = static_cast<std::size_t>(found - names_.begin());
  if (found != names_.end()) return place;
  if (names_.size() == kMostNames) return std::nullopt;
  names_.emplace_back(name);
  lengths_ |= length_bit(name.size());
  return place;
}

template <class Found>
void FieldGather::walk(bson::View document, Found found) const {
  std::uint64_t left = names_.size() == kMostNames ? ~std::uint64_t{0} : (std::uint64_t{1} << names_.size()) - 1;
  const std::uint8_t* element = document.data() + 4;
  const std::uint8_t* const end = document.data() + document.size();
  while (*element != 0 && left != 0) {
    const std::uint8_t* const start = element;
    const std::string_view name(reinterpret_cast<const char*>(start) + 1, bson::name_length(start + 1, end));
    const std::uint8_t* payload = start + 2 + name.size();
    element = payload + bson::payload_size(static_cast<Type>(*start), payload);
    if ((lengths_ & length_bit(name.size())) == 0) continue;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if ((left >> i & 1) == 0 || names_[i].size() != name.size()) continue;
      const auto* wanted = reinterpret_cast<const std::uint8_t*>(names_[i].data());
      if (!bson::same_name(wanted, start + 1, name.size())) continue;
      left &= ~(std::uint64_t{1} << i);
      found(i, start, payload, element);
      break;
    }
  }
}

void FieldGather::gather(bson::View document, Value* values) const {
  std::fill(values, values + names_.size(), Value());
  walk(document, [&](std::size_t place, const std::uint8_t* element, const std::uint8_t* payload, const std::uint8_t*) {
    values[place] = Value::read(static_cast<Type>(*element), payload);
  });
}

bson::View FieldGather::cut(bson::View document, Arena& arena) const {
  struct Part {
    const std::uint8_t* begin;
    std::size_t size;
  };
  std::array<Part, kMostNames> parts;
  std::size_t count = 0;
  std::size_t size = 5;
  walk(document, [&](std::size_t, const std::uint8_t* element, const std::uint8_t*, const std::uint8_t* end) {
    parts[count] = {element, static_cast<std::size_t>(end - element)};
    size += parts[count++].size;
  });
  std::uint8_t* const start = arena.allocate(size, 1);
  bson::store(start, static_cast<std::uint32_t>(size));
  std::uint8_t* at = start + 4;
  for (std::size_t i = 0; i < count; at += parts[i++].size) std::memcpy(at, parts[i].begin, parts[i].size);
  *at = 0;
  return bson::View::trusted(start);
}

}  // namespace partita::query
