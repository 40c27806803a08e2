// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/query.h"

#include <algorithm>
#include <utility>

#include "query/text/search_words.h"

namespace partita::query::text {
namespace {

constexpr std::string_view kSearch = "$search";
constexpr std::string_view kLanguage = "$language";
constexpr std::string_view kLetters = "$caseSensitive";
constexpr std::string_view kMarks = "$diacriticSensitive";

Status wrong_type(std::string_view name, std::string_view expected, bson::Value found) {
  return error(Code::TypeMismatch, "\"", name, "\" had the wrong type. Expected ", expected, ", found ", found.type_name());
}

Result<bool> read_flag(bson::View operand, std::string_view name) {
  const bson::Value value = operand[name];
  if (value.missing()) return false;
  if (!value.is_bool()) return wrong_type(name, "bool", value);
  return value.truthy();
}

void sort_once(std::vector<std::string>& terms) {
  std::ranges::sort(terms);
  terms.erase(std::ranges::unique(terms).begin(), terms.end());
}

/// Calls `look(text) -> bool` for the texts of a document until it says true. A document that the index would refuse has none.
template <class Look>
bool any_text(const Spec& spec, bson::View document, Look&& look) {
  Walk walk;
  if (!walk.begin(spec, document).ok()) return false;
  while (true) {
    const Result<bool> more = walk.next();
    if (!more.ok() || !*more) return false;
    if (look(walk.text())) return true;
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// How often a term is in one text. Each time counts half of the time before.
struct Occurrences {
  double frequency = 0;
  double share = 1;  ///< Of the next one.
  double count = 0;
};

/// Whether the text is nothing but that word, in whatever case.
bool is_same_word(std::string_view text, std::string_view term) {
  return std::ranges::equal(text, term, [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

Result<Search> Search::parse(bson::Value operand) {
  if (!operand.is_document()) return error(Code::BadValue, "$text expects an object");
  const bson::View fields = operand.as_document();
  Search search;
  const bson::Value words = fields[kSearch];
  if (words.missing()) return error(Code::NoSuchKey, "Missing expected field \"", kSearch, "\"");
  if (!words.is_string()) return wrong_type(kSearch, "string", words);
  search.words = words.as_string();
  const bson::Value language = fields[kLanguage];
  if (!language.missing()) {
    if (!language.is_string()) return wrong_type(kLanguage, "string", language);
    search.language = language.as_string();
  }
  TRY(search.sensitivity.letters, read_flag(fields, kLetters));
  TRY(search.sensitivity.marks, read_flag(fields, kMarks));
  const auto is_known = [](const bson::Field& field) {
    return field.name == kSearch || field.name == kLanguage || field.name == kLetters || field.name == kMarks;
  };
  if (!std::ranges::all_of(fields, is_known)) return error(Code::BadValue, "extra fields in $text");
  return search;
}

Result<std::shared_ptr<const Query>> Query::make(const Search& search, std::shared_ptr<const Spec> spec) {
  const Language* language = search.language ? Language::find(*search.language) : &spec->language();
  if (language == nullptr) {
    return error(Code::BadValue, "unsupported language: \"", *search.language, "\" for text index version 3");
  }
  auto query = std::make_shared<Query>();
  query->spec_ = std::move(spec);
  query->sensitivity_ = search.sensitivity;
  SearchWords words = SearchWords::read(search.words);
  query->phrases_ = std::move(words.phrases);
  query->negated_phrases_ = std::move(words.negated_phrases);
  query->add_terms(words.wanted, *language, false);
  query->add_terms(words.negated, *language, true);
  return std::shared_ptr<const Query>(std::move(query));
}

void Query::add_terms(const std::string& words, const Language& language, bool negated) {
  const auto cut = [&](Sensitivity sensitivity, std::vector<std::string>& terms) {
    Tokenizer tokenizer;
    tokenizer.reset(language, words, sensitivity);
    while (tokenizer.next()) terms.emplace_back(tokenizer.term());
    sort_once(terms);
  };
  if (!negated) cut({}, terms_);
  cut(sensitivity_, negated ? negated_ : wanted_);
}

bool Query::matches(bson::View document, bool has_term) const {
  // What the index does not lead to is not found, whatever a closer look would say: languages part words in other ways.
  if (!has_term && !has_any(document, terms_, {})) return false;
  if (sensitivity_.any() && !has_any(document, wanted_, sensitivity_)) return false;
  if (!negated_.empty() && has_any(document, negated_, sensitivity_)) return false;
  const auto there = [&](const std::string& phrase) { return has_phrase(document, phrase); };
  return std::ranges::all_of(phrases_, there) && std::ranges::none_of(negated_phrases_, there);
}

bool Query::has_any(bson::View document, const std::vector<std::string>& terms, Sensitivity sensitivity) const {
  Tokenizer tokenizer;
  return any_text(*spec_, document, [&](const Text& text) {
    tokenizer.reset(*text.language, text.text, sensitivity);
    while (tokenizer.next()) {
      if (std::ranges::binary_search(terms, tokenizer.term())) return true;
    }
    return false;
  });
}

/// Phrases are looked for letter by letter, stop words, punctuation and all.
bool Query::has_phrase(bson::View document, std::string_view phrase) const {
  return any_text(*spec_, document, [&](const Text& text) {
    const std::string wanted = searchable(phrase, *text.language, sensitivity_);
    return searchable(text.text, *text.language, sensitivity_).find(wanted) != std::string::npos;
  });
}

double Query::score(bson::View document) const {
  std::vector<double> scores(terms_.size());
  std::vector<Occurrences> occurrences;
  Tokenizer tokenizer;
  any_text(*spec_, document, [&](const Text& text) {
    occurrences.assign(terms_.size(), {});
    double tokens = 0;
    tokenizer.reset(*text.language, text.text);
    while (tokenizer.next()) {
      ++tokens;
      const auto found = std::ranges::lower_bound(terms_, tokenizer.term());
      if (found == terms_.end() || *found != tokenizer.term()) continue;
      Occurrences& one = occurrences[static_cast<std::size_t>(found - terms_.begin())];
      one.frequency += std::exchange(one.share, one.share / 2);
      ++one.count;
    }
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (occurrences[i].count == 0) continue;
      const double part_of_text = 0.5 * occurrences[i].count / tokens + 0.5;
      const double whole_text = is_same_word(text.text, terms_[i]) ? 1.1 : 1;
      scores[i] += text.weight * occurrences[i].frequency * part_of_text * whole_text;
    }
    return false;
  });
  double sum = 0;
  for (const double score : scores) sum += score;
  return sum;
}

}  // namespace partita::query::text
