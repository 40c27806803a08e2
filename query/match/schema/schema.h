// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unordered_set>

#include "query/match/predicate.h"
#include "query/path/field_path.h"
#include "wire/bson/document.h"

namespace partita::query {

/// What a keyword of a JSON schema demands. A rule is a stretch of checks that must all hold for one value; those that hold
/// schemas name the rules that these have become.
struct SchemaCheck {
  enum class Kind : std::uint8_t {
    kTest,      ///< `test` holds for the value.
    kSelf,      ///< A rule holds for the same value: allOf; also what hangs on a field that is there, where `path` is set.
    kNot,       ///< One that does not.
    kAny,       ///< One of several rules: anyOf.
    kOne,       ///< Exactly one: oneOf.
    kProperty,  ///< A rule holds for the field at `path`, if there is one.
    kItems,     ///< Of an array: one rule for each of the first elements, and one for all others.
    kFields,    ///< Of a document: one rule for each pattern that a name matches, and one for names that nothing knows.
  };
  /// In the place of a rule: everything is welcome, or nothing is.
  static constexpr std::uint32_t kWelcome = UINT32_MAX;
  static constexpr std::uint32_t kForbidden = UINT32_MAX - 1;

  Kind kind = Kind::kTest;
  std::string_view keyword;  ///< As it stands in the schema, for whoever explains why a document was refused.
  bson::Value operand = {};  ///< Likewise: what stands behind it; of dependencies, behind the name of one.
  std::unique_ptr<const Predicate> test = nullptr;
  FieldPath path = {};
  std::uint32_t first = 0;  ///< Rules: so many, from this one on.
  std::uint32_t count = 0;
  std::uint32_t rest = kWelcome;  ///< kItems, kFields: the rule for what is left over.
  std::vector<Regex> patterns = {};  ///< kFields: one for each of `count` rules.
  std::unordered_set<std::string_view> known = {};  ///< kFields: names that are not left over.
};

/// A JSON schema (draft 4, as MongoDB takes it), compiled: immutable, any thread may ask. Nothing recurses; a run takes its
/// stack from the state's arena, as deep as the schema is nested.
class Schema {
 public:
  /// Copies what it needs. Fails with MongoDB's codes.
  static Result<Schema> parse(bson::View source);

  /// False too when a pattern cannot be tried on some text: see `state.failure`. The arena is reset.
  bool matches(bson::Value value, MatchState& state) const { return holds(rules_[0], value, state); }

 private:
  friend class SchemaParser;
  friend class SchemaRun;
  friend class SchemaFailureTeller;
  struct Rule {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    bson::View source = {};    ///< Where it was written.
    bool of_document = false;  ///< It is asked of whole documents.
  };
  /// Of the checks of a rule, or of some of them.
  bool holds(const Rule& rule, bson::Value value, MatchState& state) const;

  bson::Document source_;
  std::vector<Rule> rules_;  // The first one is the whole.
  std::vector<SchemaCheck> checks_;
  std::uint32_t depth_ = 1;
};

}  // namespace partita::query
