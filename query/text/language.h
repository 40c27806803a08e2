// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

#include "query/text/code_points.h"

namespace partita::query::text {

/// A language that texts are written in: which of its words say nothing, and what the others are reduced to. One of a table.
struct Language {
  std::string_view name;  ///< "english"
  std::string_view code;  ///< "en"; empty where there is none.
  const char* algorithm;  ///< Of the Snowball library; null: words stay as they are.
  std::string_view stop_words;  ///< In small letters, separated by blanks.
  bool apostrophes = false;     ///< They are part of words.
  Case letters = Case::kCommon;

  bool is_stop_word(std::string_view folded) const;
  /// The word's stem; valid until the thread's next call.
  std::string_view stem(std::string_view word) const;

  /// By name or code, in any case; null: there is none.
  static const Language* find(std::string_view name);

 private:
  std::size_t place() const;
};

}  // namespace partita::query::text
