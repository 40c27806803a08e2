// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/predicate.h"
#include "wire/bson/document.h"

namespace partita::query {

/// Texts and symbols that a regular expression matches, and the same regular expression as a value.
class RegexMatch : public Predicate {
 public:
  static Result<RegexMatch> compile(bson::Regex source, RegexUse use = RegexUse::kOften);
  bool matches(bson::Value value, MatchState& state) const override;
  /// The regular expression, for the keys of indexes.
  bson::Value source() const { return source_.get(); }

 private:
  RegexMatch(Regex regex, bson::OwnedValue source) : regex_(std::move(regex)), source_(std::move(source)) {}

  Regex regex_;
  bson::OwnedValue source_;
};

}  // namespace partita::query
