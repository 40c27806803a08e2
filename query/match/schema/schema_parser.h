// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include "query/match/schema/schema.h"
#include "query/match/schema/tests.h"

namespace partita::query {

/// Compiles one schema. Schemas within it wait in a queue until the one around them has been read: so the checks of each
/// rule stand together, and nothing recurses.
class SchemaParser {
 public:
  explicit SchemaParser(Schema& schema) : schema_(schema) {}
  Status run();

 private:
  using Field = bson::Field;
  struct Waiting {
    bson::View source;
    std::uint32_t depth = 0;
    bool of_document = false;  // About the document itself: what is said of texts does not matter.
  };
  using Read = Status (SchemaParser::*)(const Field&);
  struct Keyword {
    std::string_view name;
    Read read;  // Null: MongoDB does not take it either.
  };
  static const Keyword kKeywords[];
  static const Keyword* find(std::string_view name);

  Status read();
  SchemaCheck& add(const Field& field, SchemaCheck::Kind kind);
  Status add_test(const Field& field, schema_tests::Test test);
  /// For the value at hand (`same`), or for one within it.
  std::uint32_t add_rule(bson::View source, bool same = true);

  template <class... Parts>
  static Status wrong_type(const Field& field, const Parts&... parts) {
    return error(Code::TypeMismatch, "$jsonSchema keyword '", field.name, "' ", parts...);
  }
  template <class... Parts>
  static Status wrong(const Field& field, const Parts&... parts) {
    return error(Code::FailedToParse, "$jsonSchema keyword '", field.name, "' ", parts...);
  }

  // Keywords of all values.
  Status remark(const Field& field);
  Status refuse(const Field& field);
  Status type(const Field& field);
  static Status add_type(const Field& field, std::string_view name, TypeSet& types);
  Status choice(const Field& field);
  Status several(const Field& field);
  Status negation(const Field& field);

  // Of numbers, of texts, and how much there may be of them, of items and of fields.
  Status limit(const Field& field);
  Status exclusive(const Field& field);
  Status multiple(const Field& field);
  Status size(const Field& field);
  Status pattern(const Field& field);

  // Of arrays.
  Status items(const Field& field);
  Status more_items(const Field& field);
  std::uint32_t rule_for_rest(bson::Value value);
  Status unique(const Field& field);

  // Of documents.
  Status required(const Field& field);
  Status properties(const Field& field);
  Status patterns(const Field& field);
  static Status check_patterns(const Field& field);
  Status more_properties(const Field& field);
  Status fields(const Field& field, std::uint32_t rest);
  Status dependencies(const Field& field);
  Status dependency(const Field& trigger);

  Schema& schema_;
  std::vector<Waiting> waiting_;
  Waiting now_;
};

}  // namespace partita::query
