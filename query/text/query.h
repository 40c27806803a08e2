// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/text/spec.h"

namespace partita::query::text {

/// Who knows of which texts there is an index, where a filter is parsed for a collection.
class IndexSource {
 public:
  virtual ~IndexSource() = default;
  /// IndexNotFound where there is none.
  virtual Result<std::shared_ptr<const Spec>> text_index() const = 0;
};

/// The operand of $text.
struct Search {
  std::string_view words;
  std::optional<std::string_view> language;  ///< That of the index where it is not told.
  Sensitivity sensitivity;

  /// Fails as mongod does for operands that are none.
  static Result<Search> parse(bson::Value operand);
};

/// What a $text asks of documents: some of the words, each of the "phrases", none of the -negated ones. Made for an index,
/// whose fields are looked at. Immutable; asked from any thread.
class Query {
 public:
  static Result<std::shared_ptr<const Query>> make(const Search& search, std::shared_ptr<const Spec> spec);

  const Spec& spec() const { return *spec_; }
  /// What the index has to be asked for: sorted.
  const std::vector<std::string>& terms() const { return terms_; }
  const std::vector<std::string>& negated_terms() const { return negated_; }
  const std::vector<std::string>& phrases() const { return phrases_; }
  const std::vector<std::string>& negated_phrases() const { return negated_phrases_; }

  /// `has_term`: the index has led to the document, so that one of the terms is known to be in it.
  bool matches(bson::View document, bool has_term) const;
  /// How well the terms fit the document: 0 where none is in it.
  double score(bson::View document) const;

 private:
  void add_terms(const std::string& words, const Language& language, bool negated);
  bool has_any(bson::View document, const std::vector<std::string>& terms, Sensitivity sensitivity) const;
  bool has_phrase(bson::View document, std::string_view phrase) const;

  std::shared_ptr<const Spec> spec_;
  Sensitivity sensitivity_;
  std::vector<std::string> terms_;
  std::vector<std::string> wanted_;  ///< As sensitive as the search is: one of them must be there.
  std::vector<std::string> negated_;
  std::vector<std::string> phrases_;
  std::vector<std::string> negated_phrases_;
};

}  // namespace partita::query::text
