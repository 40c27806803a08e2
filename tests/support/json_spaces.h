// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::test {

/// Others put spaces around braces, colons and commas; without those outside strings two texts can be compared.
inline std::string json_without_spaces(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') in_string = !in_string;
    if (in_string && json[i] == '\\') out += json[i++];
    if (in_string || json[i] != ' ') out += json[i];
  }
  return out;
}

}  // namespace partita::test
