// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/path/field_pass.h"

#include <algorithm>

namespace partita::query {

std::optional<std::size_t> PassedNames::add(std::string_view name) {
  const auto found = std::ranges::find(names_, name, &Name::text);
  const auto place = static_cast<std::size_t>(found - names_.begin());
  if (found != names_.end()) return place;
  if (names_.size() == kMost) return std::nullopt;
  std::int8_t& first = first_[name.size() % kLengths];
  names_.push_back({name, first});
  first = static_cast<std::int8_t>(place);
  return place;
}

/// Goes on until the field of that place is found; false at the document's end.
bool FieldPass::walk(const PassedNames& names, std::size_t place) {
  while (*at_ != 0) {
    const std::uint8_t* const element = at_;
    const std::size_t length = bson::name_length(element + 1, end_);
    const std::uint8_t* const payload = element + 2 + length;
    const auto type = static_cast<bson::Type>(*element);
    at_ = payload + bson::payload_size(type, payload);
    for (std::int8_t i = names.first_[length % PassedNames::kLengths]; i != PassedNames::kNone;) {
      const auto at = static_cast<std::size_t>(std::exchange(i, names.names_[static_cast<std::size_t>(i)].next));
      const std::string_view wanted = names.names_[at].text;
      if (wanted.size() != length || (found_ >> at & 1) != 0) continue;
      if (!bson::same_name(reinterpret_cast<const std::uint8_t*>(wanted.data()), element + 1, length)) continue;
      values_[at] = bson::Value::read(type, payload);
      found_ |= std::uint32_t{1} << at;
      if (at == place) return true;
      break;
    }
  }
  return false;
}

}  // namespace partita::query
