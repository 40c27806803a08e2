// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "query/match/failure_writer.h"
#include "query/match/schema/schema.h"

namespace partita::query {

/// Tells which keywords of a schema a document does not satisfy, as MongoDB does: from the outside in, with a stack of what
/// is still to be written. Asks the rules of the schema one by one, for the rare document that fails.
class SchemaFailureTeller {
 public:
  /// Writes into the document that is open there.
  SchemaFailureTeller(const Schema& schema, FailureWriter& out) : schema_(schema), out_(out) {}
  void tell(bson::View document);

 private:
  using Check = SchemaCheck;
  using Rule = Schema::Rule;

  /// What is told of by itself: a keyword, with all of its checks that fail.
  enum class Told : std::uint8_t {
    kPattern, kMaxLength, kMinLength, kMultipleOf, kMaximum, kMinimum, kMinItems, kMaxItems, kUniqueItems, kItems,
    kMoreItems, kProperties, kMoreProperties, kPatternProperties, kRequired, kMinProperties, kMaxProperties, kDependencies,
    kAllOf, kAnyOf, kOneOf, kNot, kEnum, kType,
  };
  /// In the order in which MongoDB tells of them.
  using Failures = std::map<Told, std::vector<const Check*>>;

  struct Step {
    enum class What : std::uint8_t {
      kClose,
      kFailure,  ///< A keyword, as an element of the list that is open.
      kDetails,  ///< What fails of a rule.
      kEntry,    ///< An element that says where, and what fails there.
    };
    What what = What::kClose;
    std::uint32_t place = 0;  ///< In the list.
    bson::Value value = {};
    std::uint32_t rule = 0;
    Told told = {};
    std::vector<const Check*> checks = {};
    std::uint32_t around = 0;  ///< The rule that the checks are of.
    std::string_view label = {};   ///< What the entry says first, with a number or a name.
    bson::Value number = {};
    std::string_view name = {};
    bool remarks = false;  ///< Title and description stand in the entry.
    std::string_view matched = {};  ///< The pattern that has led there.
  };

  static Told told_of(const Check& check);
  bool holds(const Check& check, bson::Value value);
  bool holds(std::uint32_t rule, bson::Value value) { return schema_.holds(schema_.rules_[rule], value, state_); }
  /// Only documents are stored: what asks for anything else holds for none.
  const Check* type_that_no_document_has(std::uint32_t rule, bson::Value value);
  Failures failures(std::uint32_t rule, bson::Value value);
  /// Whether the type that the rule demands lets the keyword say anything.
  bool speaks(Told told, const Rule& rule) const;
  bool is_told(const Check& check, const Rule& rule, bson::Value value);
  void add_items(const Check& check, bson::Value value, Failures& found);
  void add_fields(const Check& check, bson::Value value, Failures& found);
  /// What no item of a list, no property and no pattern speaks of.
  bool is_welcome(const Check& check, bson::Value value);
  /// That of the first of several schemas.
  std::uint32_t first_rule(const Step& step) const;

  void run();
  void never(const Rule& rule);
  void list(std::string_view name, std::uint32_t rule, bson::Value value);
  void failure(const Step& step);
  void entry(const Step& step);
  void open_entries(std::string_view name, std::vector<Step> entries);

  void of_value(const Step& step, std::string_view reason);
  void of_length(const Step& step);
  void of_type(const Step& step);
  void of_enum(const Step& step);
  void of_unique(const Step& step);
  void of_items(const Step& step);
  void of_more_items(const Step& step);
  void of_properties(const Step& step);
  void of_more_properties(const Step& step);
  void of_patterns(const Step& step);
  void of_required(const Step& step);
  void of_dependencies(const Step& step);
  void of_alternatives(const Step& step);
  void of_choice(const Step& step);
  bool is_additional(const Check& check, std::string_view name);
  bool is_named(const Check& check, std::size_t pattern, std::string_view name);
  std::vector<std::string_view> missing_of(bson::Value names, bson::Value document, bool sorted);

  const Schema& schema_;
  FailureWriter& out_;
  MatchState state_;
  std::vector<Step> todo_;
};

}  // namespace partita::query
