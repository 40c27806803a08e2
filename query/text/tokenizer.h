// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/text/language.h"

namespace partita::query::text {

/// What a search looks at beside the letters.
struct Sensitivity {
  bool letters = false;  ///< To upper and lower case.
  bool marks = false;    ///< To accents and the like.
  bool any() const { return letters || marks; }
};

/// Cuts a text into terms: its words without those that say nothing, in small letters, reduced to their stems, without
/// accents. A word of accents alone is an empty term. Memory is kept from one text to the next. One thread at a time.
class Tokenizer {
 public:
  void reset(const Language& language, std::string_view text, Sensitivity sensitivity = {});
  /// False at the end.
  bool next();
  /// Valid until the next call.
  std::string_view term() const { return term_; }
  /// The text so far is no UTF-8; what is none is passed over.
  bool malformed() const { return malformed_; }

 private:
  bool next_word(std::string_view& word);
  bool parts(char32_t c) const;

  const Language* language_ = nullptr;
  std::string_view text_;
  Sensitivity sensitivity_;
  std::size_t at_ = 0;
  bool malformed_ = false;
  std::string folded_;
  std::string plain_;
  std::string_view term_;
};

/// The text as phrases are looked for in it.
std::string searchable(std::string_view text, const Language& language, Sensitivity sensitivity);

}  // namespace partita::query::text
