// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/view.h"

namespace partita::bson {

Value View::operator[](std::string_view name) const {
  const std::uint8_t* element = data_ + 4;
  const std::uint8_t* const end = data_ + size();
  const auto* sought = reinterpret_cast<const std::uint8_t*>(name.data());
  while (*element != 0) {
    const std::size_t length = name_length(element + 1, end);
    const std::uint8_t* payload = element + 2 + length;
    const auto type = static_cast<Type>(*element);
    if (length == name.size() && same_name(element + 1, sought, length)) return Value::read(type, payload);
    element = payload + bson::payload_size(type, payload);
  }
  return {};
}

Value View::at_path(std::string_view dotted) const {
  View at = *this;
  while (true) {
    const std::size_t dot = dotted.find('.');
    const Value value = at[dotted.substr(0, dot)];
    if (dot == std::string_view::npos || !value.is_document()) return dot == std::string_view::npos ? value : Value();
    at = value.as_document();
    dotted.remove_prefix(dot + 1);
  }
}

std::size_t View::count() const {
  std::size_t fields = 0;
  for (auto at = begin(); at != end(); ++at) ++fields;
  return fields;
}

}  // namespace partita::bson
