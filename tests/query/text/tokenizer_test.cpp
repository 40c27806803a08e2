// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/text/search_words.h"
#include "query/text/spec.h"

namespace partita::test {
namespace {

using namespace query::text;  // NOLINT: it is what this is about.

std::string terms(std::string_view language, std::string_view text, Sensitivity sensitivity = {}) {
  Tokenizer tokenizer;
  tokenizer.reset(*Language::find(language), text, sensitivity);
  std::string found;
  while (tokenizer.next()) found.append(tokenizer.term()).append(1, '|');
  return found;
}

TEST(Tokenizer, CutsWordsAndReducesThem) {
  EXPECT_EQ(terms("english", "Running, the DOGS ran-away!"), "run|dog|ran|away|");
  EXPECT_EQ(terms("none", "Running, the DOGS"), "running|the|dogs|");
  EXPECT_EQ(terms("english", "snake_case x86 3.14"), "snake_cas|x86|3|14|");
  EXPECT_EQ(terms("english", " ... \n"), "");
}

TEST(Tokenizer, KnowsAccentsAndCase) {
  EXPECT_EQ(terms("none", "Café CRÈME Straße"), "cafe|creme|straße|");
  EXPECT_EQ(terms("none", "Café CRÈME", {.marks = true}), "café|crème|");
  EXPECT_EQ(terms("none", "Café CRÈME", {.letters = true}), "Cafe|CREME|");
  EXPECT_EQ(terms("turkish", "IŞIK"), terms("turkish", "ışık"));
  EXPECT_NE(terms("english", "IŞIK"), terms("english", "ışık"));
}

TEST(Tokenizer, TakesApostrophesForLettersInEnglishAlone) {
  EXPECT_EQ(terms("english", "o'clock"), "o'clock|");
  EXPECT_EQ(terms("none", "o'clock"), "o|clock|");
}

TEST(Tokenizer, NoticesWhatIsNoUtf8) {
  Tokenizer tokenizer;
  tokenizer.reset(*Language::find("none"), "ab\xFF""cd");
  EXPECT_TRUE(tokenizer.next());
  EXPECT_EQ(tokenizer.term(), "ab");
  EXPECT_TRUE(tokenizer.next());
  EXPECT_EQ(tokenizer.term(), "cd");
  EXPECT_FALSE(tokenizer.next());
  EXPECT_TRUE(tokenizer.malformed());
}

TEST(Languages, AreFoundByNameAndCodeInAnyCase) {
  EXPECT_EQ(Language::find("French"), Language::find("fr"));
  EXPECT_NE(Language::find("FR"), nullptr);
  EXPECT_EQ(Language::find("klingon"), nullptr);
  EXPECT_EQ(Language::find(""), nullptr);
}

TEST(Languages, EachHasAStemmerAndStopWordsInSmallLetters) {
  for (const std::string_view name : {"danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian",
                                      "portuguese", "romanian", "russian", "spanish", "swedish", "turkish"}) {
    const Language* language = Language::find(name);
    ASSERT_NE(language, nullptr) << name;
    std::string folded;
    append_folded(language->stop_words, language->letters, folded);
    EXPECT_EQ(folded, language->stop_words) << name;
    EXPECT_TRUE(language->is_stop_word(language->stop_words.substr(0, language->stop_words.find(' ')))) << name;
    EXPECT_FALSE(language->stem("electricity").empty()) << name;
  }
}

std::string words(std::string_view search) {
  const SearchWords read = SearchWords::read(search);
  std::string shown = read.wanted + "/" + read.negated + "/";
  for (const std::string& phrase : read.phrases) shown += "<" + phrase + ">";
  shown += "/";
  for (const std::string& phrase : read.negated_phrases) shown += "<" + phrase + ">";
  return shown;
}

TEST(SearchWords, AreWantedOrNegatedOrPhrases) {
  EXPECT_EQ(words("apple -pie red"), "apple red /pie //");
  EXPECT_EQ(words("apple-pie"), "apple pie ///");
  EXPECT_EQ(words("-apple-pie red"), "red /apple pie //");
  EXPECT_EQ(words("\"apple pie\" tart"), "apple pie tart //<apple pie>/");
  EXPECT_EQ(words("-\"apple pie\" tart"), "tart ///<apple pie>");
  EXPECT_EQ(words("\"apple -pie"), "apple pie ///");
  EXPECT_EQ(words(""), "///");
}

TEST(TermKeys, OfLongTermsAreShortAndDifferent) {
  const std::string long_one(1000, 'x');
  EXPECT_EQ(key_of_term("apple"), "apple");
  EXPECT_EQ(key_of_term(std::string(256, 'x')).size(), 256);
  EXPECT_EQ(key_of_term(long_one).size(), 240);
  EXPECT_NE(key_of_term(long_one), key_of_term(long_one + "y"));
}

}  // namespace
}  // namespace partita::test
