// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/collation/collator.h"
#include "query/match/operator.h"
#include "wire/bson/document.h"

namespace partita::query {

namespace geo {
class NearQuery;
}

/// A parsed filter: its nodes in the order they were written, each before its children.
/// The children of node i begin at i + 1; the subtree of node i ends before `end`.
struct FilterNode {
  enum class Kind : std::uint8_t {
    kAnd,
    kOr,
    kNor,
    kNot,
    kElemDocument,  ///< $elemMatch over a filter: its children hold together for an element, whose fields they ask about.
    kElemValue,     ///< $elemMatch over operators: its children hold together for an element itself.
    kField,         ///< Asks about the values that `path` leads to.
    kValue,         ///< Asks about the element itself within kElemValue, about the whole document outside.
    kDocument,      ///< An expression about the document.
    kComputed,      ///< What an $expr beside it says of `path`, for planning only: nothing is asked. See computed_clauses.h.
  };

  Kind kind = Kind::kAnd;
  bool of_one_field = false;  ///< kAnd: several operators of one field, which are clauses of what they stand in.
  std::uint32_t end = 0;
  FieldPath path = {};                                  ///< kField, kComputed, and kElem* outside of kElemValue.
  const MatchOperator* field_operator = nullptr;        ///< kField, kComputed, kValue of elements: which one.
  bson::Value operand = {};                             ///< kField, kComputed, kValue: what it compares with.
  std::string_view of_queries = {};  ///< Its name, if it has no place in what asks about values: see below.
  std::unique_ptr<const Predicate> predicate = nullptr;  ///< Leaves.

  bool is_leaf() const { return kind >= Kind::kField; }
  bool is_elem() const { return kind == Kind::kElemDocument || kind == Kind::kElemValue; }
  /// Whether its children are about the same document as itself.
  bool is_logical() const { return kind < Kind::kElemDocument; }
  /// Whether a matcher asks it anything itself.
  bool asks() const { return !is_logical() && kind != Kind::kComputed; }
};

struct FilterTree {
  bson::Document filter;  ///< A copy that every operand points into.
  std::vector<FilterNode> nodes;
  std::vector<bson::Document> made = {};  ///< Holds operands that the filter does not have as such.
  /// What $near asks, if it is there: the answer comes in the order of distances, unless somebody wants another one.
  std::shared_ptr<const geo::NearQuery> near = nullptr;
  std::shared_ptr<const text::Query> text = nullptr;  ///< The $text in it; null: none.
  bool text_must_hold = false;  ///< And nothing matches without it.
  Collation collation = nullptr;          ///< By which it compares texts. Predicates point to it.
};

/// Who parses a filter: some may order what they answer by it, for others $near has no place in it.
enum class FilterUse : std::uint8_t { kTest, kQuery };

constexpr std::size_t kMaxFilterDepth = 100;

/// $expr and $jsonSchema are for filters that choose documents: QueryFeatureNotAllowed in those of array elements, of partial
/// indexes, and where a projection wants to know which element it was.
Status check_asks_of_values(const FilterTree& filter);

Result<FilterTree> parse_filter(bson::View filter, const ExpressionContext& context, FilterUse use = FilterUse::kTest);

}  // namespace partita::query
