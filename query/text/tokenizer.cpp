// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/tokenizer.h"

#include <algorithm>

namespace partita::query::text {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

void Tokenizer::reset(const Language& language, std::string_view text, Sensitivity sensitivity) {
  language_ = &language;
  text_ = text;
  sensitivity_ = sensitivity;
  at_ = 0;
  malformed_ = false;
}

bool Tokenizer::parts(char32_t c) const { return is_delimiter(c) && !(c == U'\'' && language_->apostrophes); }

bool Tokenizer::next_word(std::string_view& word) {
  std::size_t begin = std::string_view::npos;
  while (at_ < text_.size()) {
    const std::size_t here = at_;
    const auto c = take(text_, at_);
    malformed_ |= !c;
    const bool inside = c && !parts(*c);
    if (inside && begin == std::string_view::npos) begin = here;
    if (inside || begin == std::string_view::npos) continue;
    word = text_.substr(begin, here - begin);
    return true;
  }
  if (begin == std::string_view::npos) return false;
  word = text_.substr(begin);
  return true;
}

// Stop words and stems are those of words with their accents; only then these go.
bool Tokenizer::next() {
  for (std::string_view word; next_word(word);) {
    folded_.clear();
    append_folded(word, language_->letters, folded_);
    if (language_->is_stop_word(folded_)) continue;
    term_ = language_->stem(sensitivity_.letters ? word : folded_);
    if (!sensitivity_.marks && !is_ascii(term_)) {
      plain_.clear();
      append_plain(term_, plain_);
      term_ = plain_;
    }
    return true;
  }
  return false;
}

/// In Turkish mongod looks for phrases in any case, whatever is asked.
std::string searchable(std::string_view text, const Language& language, Sensitivity sensitivity) {
  std::string made(text);
  if (!sensitivity.letters || language.letters == Case::kTurkish) {
    made.clear();
    append_folded(text, language.letters, made);
  }
  if (sensitivity.marks) return made;
  std::string plain;
  append_plain(made, plain);
  return plain;
}

}  // namespace partita::query::text
