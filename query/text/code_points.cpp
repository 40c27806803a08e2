// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/code_points.h"

#include <memory>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

namespace partita::query::text {
namespace {

constexpr char32_t kTableEnd = 0x10000;  ///< Characters above are asked about one by one: they are few.

bool parts_words(char32_t c) {
  constexpr UProperty kParting[] = {UCHAR_WHITE_SPACE, UCHAR_DASH, UCHAR_HYPHEN, UCHAR_QUOTATION_MARK,
                                    UCHAR_TERMINAL_PUNCTUATION, UCHAR_PATTERN_SYNTAX, UCHAR_S_TERM};
  for (const UProperty property : kParting) {
    if (u_hasBinaryProperty(static_cast<UChar32>(c), property)) return true;
  }
  return false;
}

/// The character without its marks, if one character is left: that which it is composed of, all marks taken away, and
/// composed again. 0 for what is a mark itself.
char32_t without_marks(char32_t c) {
  const auto is_mark = [](UChar32 one) { return u_hasBinaryProperty(one, UCHAR_DIACRITIC) != 0; };
  if (is_mark(static_cast<UChar32>(c))) return 0;
  UErrorCode failed = U_ZERO_ERROR;
  const UNormalizer2* decomposer = unorm2_getNFDInstance(&failed);
  const UNormalizer2* composer = unorm2_getNFCInstance(&failed);
  if (U_FAILURE(failed)) return c;
  UChar parts[32];
  const int32_t size = unorm2_getDecomposition(decomposer, static_cast<UChar32>(c), parts, std::size(parts), &failed);
  if (U_FAILURE(failed) || size < 0) return c;
  UChar kept[32];
  int32_t kept_size = 0;
  for (int32_t at = 0; at < size;) {
    UChar32 part = 0;
    U16_NEXT(parts, at, size, part);
    if (!is_mark(part)) U16_APPEND_UNSAFE(kept, kept_size, part);
  }
  UChar composed[32];
  const int32_t composed_size = unorm2_normalize(composer, kept, kept_size, composed, std::size(composed), &failed);
  if (U_FAILURE(failed) || composed_size == 0) return c;
  UChar32 first = 0;
  int32_t at = 0;
  U16_NEXT(composed, at, composed_size, first);
  return at == composed_size ? static_cast<char32_t>(first) : c;
}

struct Tables {
  std::unique_ptr<bool[]> delimiter = std::make_unique<bool[]>(kTableEnd);
  std::unique_ptr<char32_t[]> plain = std::make_unique<char32_t[]>(kTableEnd);
  Tables() {
    for (char32_t c = 0; c < kTableEnd; ++c) {
      delimiter[c] = parts_words(c);
      plain[c] = without_marks(c);
    }
  }
};

const Tables& tables() {
  static const Tables made;
  return made;
}

void append(char32_t c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<UChar32>(c));
  out.append(bytes, size);
}

}  // namespace

bool is_delimiter(char32_t c) { return c < kTableEnd ? tables().delimiter[c] : parts_words(c); }

std::optional<char32_t> take(std::string_view text, std::size_t& at) {
  UChar32 c = 0;
  U8_NEXT(text.data(), at, text.size(), c);
  if (c < 0) return std::nullopt;
  return static_cast<char32_t>(c);
}

void append_folded(std::string_view text, Case letters, std::string& out) {
  const bool turkish = letters == Case::kTurkish;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80 && !(turkish && byte == 'I')) {
      out.push_back(static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte));
      ++at;
      continue;
    }
    const auto c = take(text, at);
    if (!c) continue;
    append(static_cast<char32_t>(u_foldCase(static_cast<UChar32>(*c), turkish ? U_FOLD_CASE_EXCLUDE_SPECIAL_I : U_FOLD_CASE_DEFAULT)), out);
  }
}

void append_plain(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const auto c = take(text, at);
    if (!c) continue;
    const char32_t plain = *c < kTableEnd ? tables().plain[*c] : without_marks(*c);
    if (plain != 0 || *c == 0) append(plain, out);
  }
}

}  // namespace partita::query::text
