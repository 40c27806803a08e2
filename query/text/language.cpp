// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/language.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>

#include "query/text/stop_words.h"

namespace partita::query::text {
namespace {

/// Those that mongod knows without a dictionary from elsewhere.
constexpr Language kLanguages[] = {
    {"none", "", nullptr, ""},
    {"danish", "da", "danish", kDanishStopWords},
    {"dutch", "nl", "dutch", kDutchStopWords},
    {"english", "en", "english", kEnglishStopWords, true},
    {"finnish", "fi", "finnish", kFinnishStopWords},
    {"french", "fr", "french", kFrenchStopWords},
    {"german", "de", "german", kGermanStopWords},
    {"hungarian", "hu", "hungarian", kHungarianStopWords},
    {"italian", "it", "italian", kItalianStopWords},
    {"norwegian", "nb", "norwegian", kNorwegianStopWords},
    {"portuguese", "pt", "portuguese", kPortugueseStopWords},
    {"romanian", "ro", "romanian", kRomanianStopWords},
    {"russian", "ru", "russian", kRussianStopWords},
    {"spanish", "es", "spanish", kSpanishStopWords},
    {"swedish", "sv", "swedish", kSwedishStopWords},
    {"turkish", "tr", "turkish", kTurkishStopWords, false, Case::kTurkish},
};

using StopWords = std::unordered_set<std::string_view>;

StopWords split(std::string_view words) {
  StopWords made;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    made.insert(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return made;
}

const std::array<StopWords, std::size(kLanguages)>& all_stop_words() {
  static const auto made = [] {
    std::array<StopWords, std::size(kLanguages)> lists;
    for (std::size_t i = 0; i < lists.size(); ++i) lists[i] = split(kLanguages[i].stop_words);
    return lists;
  }();
  return made;
}

struct StemmerEnd {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Stemmer = std::unique_ptr<sb_stemmer, StemmerEnd>;

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x | 0x20 : x) == y; });
}

}  // namespace

std::size_t Language::place() const { return static_cast<std::size_t>(this - kLanguages); }

bool Language::is_stop_word(std::string_view folded) const { return all_stop_words()[place()].contains(folded); }

std::string_view Language::stem(std::string_view word) const {
  if (algorithm == nullptr) return word;
  // A stemmer holds the word that it works on, so that each thread needs its own.
  thread_local std::array<Stemmer, std::size(kLanguages)> stemmers;
  Stemmer& stemmer = stemmers[place()];
  if (stemmer == nullptr) stemmer.reset(sb_stemmer_new(algorithm, "UTF_8"));
  if (stemmer == nullptr) return word;
  const sb_symbol* stemmed = sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stemmed == nullptr) return word;
  return {reinterpret_cast<const char*>(stemmed), static_cast<std::size_t>(sb_stemmer_length(stemmer.get()))};
}

const Language* Language::find(std::string_view name) {
  const auto* found = std::ranges::find_if(kLanguages, [&](const Language& one) {
    return same_letters(name, one.name) || (!one.code.empty() && same_letters(name, one.code));
  });
  return found == std::end(kLanguages) ? nullptr : found;
}

}  // namespace partita::query::text
