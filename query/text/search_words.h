// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace partita::query::text {

/// A $search, taken apart: apple "red cherry" -pie. Words within phrases are wanted too.
struct SearchWords {
  std::string wanted;   ///< Separated by blanks; not cut into terms yet.
  std::string negated;
  std::vector<std::string> phrases;
  std::vector<std::string> negated_phrases;

  static SearchWords read(std::string_view search);
};

}  // namespace partita::query::text
