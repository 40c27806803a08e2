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

void FieldGather::gather(bson::View document, Value* values) const {
  std::fill(values, values + names_.size(), Value());
  std::size_t left = names_.size();
  const std::uint8_t* element = document.data() + 4;
  while (*element != 0 && left > 0) {
    const auto type = static_cast<Type>(*element);
    const std::string_view name(reinterpret_cast<const char*>(element) + 1);
    const std::uint8_t* payload = element + 2 + name.size();
    element = payload + bson::payload_size(type, payload);
    if ((lengths_ & length_bit(name.size())) == 0) continue;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != name || !values[i].missing()) continue;
      values[i] = Value::read(type, payload);
      --left;
      break;
    }
  }
}

}  // namespace partita::query
