// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "query/text/tokenizer.h"
#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::query::text {

/// What a text index is of: the fields, what a word in each of them weighs, and the language. Immutable.
class Spec {
 public:
  /// Of an index as listIndexes shows it: {weights, default_language, language_override}.
  static Result<Spec> parse(bson::View definition);

  const Language& language() const { return *language_; }
  std::string_view language_name() const { return language_name_; }
  /// The field of a document, or of one in it, that names another language for what is in that.
  std::string_view override_field() const { return override_field_; }
  /// All texts of a document.
  bool wildcard() const { return wildcard_; }

  /// What a word in the texts at that path weighs; nullopt where the index is not of them.
  std::optional<double> weight(std::string_view path) const;
  /// Whether the index is of something below that path.
  bool reaches_below(std::string_view path) const;
  /// The same texts, weighing the same.
  bool operator==(const Spec&) const = default;
  /// Adds the top-level fields that it looks at; false where that may be any.
  bool collect_names(std::vector<std::string_view>& names) const;

 private:
  std::map<std::string, double, std::less<>> weights_;
  const Language* language_ = nullptr;
  std::string language_name_;
  std::string override_field_;
  bool wildcard_ = false;
};

/// One text of a document.
struct Text {
  std::string_view text;
  const Language* language = nullptr;
  double weight = 1;
};

/// Walks over the texts of a document that an index is of: strings, those in arrays among them. Nothing recurses. Memory is
/// kept from one document to the next.
class Walk {
 public:
  /// This and next() fail as mongod does for what names no language: Location17261, Location17262.
  Status begin(const Spec& spec, bson::View document);
  /// False at the end.
  Result<bool> next();
  const Text& text() const { return text_; }

 private:
  struct Level {
    bson::View::Iterator at;
    bool in_array = false;
    std::size_t path_size = 0;  ///< Of the object or array being walked.
    const Language* language = nullptr;
  };
  Status open(bson::View object, const Language* language);
  Result<bool> take(bson::Value value);

  const Spec* spec_ = nullptr;
  std::vector<Level> levels_;
  std::string path_;
  Text text_;
};

/// The different terms in the texts of a document. Memory is kept from one document to the next.
class TermSet {
 public:
  /// Fails as Walk does, and with BadValue for a text that is no UTF-8.
  Status collect(const Spec& spec, bson::View document);
  /// In no order.
  const std::unordered_set<std::string>& terms() const { return terms_; }

 private:
  Walk walk_;
  Tokenizer tokenizer_;
  std::unordered_set<std::string> terms_;
};

/// What stands for a term in keys: itself, or of a long one its beginning and a hash. On disk.
std::string key_of_term(std::string_view term);

}  // namespace partita::query::text
