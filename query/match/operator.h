// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/match/predicate.h"
#include "query/registry.h"
#include "wire/error/status.h"

namespace partita::query {

struct ExpressionContext;
struct FilterTree;
namespace text {
class Query;
}

/// What an operator's parser is told. The views stay valid as long as the predicate: the Matcher owns their bytes.
struct OperatorArgs {
  std::string_view path;     ///< The field asked about; empty for operators that stand at the top of a filter.
  bson::Value operand;       ///< What stands behind the operator.
  bson::View siblings;       ///< The object the operator stands in, for those that share it ($regex with $options).
  const ExpressionContext& context;  ///< For expressions.
  bool must_hold = false;  ///< Nothing matches without it: it stands in no $or or $nor.
};

/// What a predicate says about the order of values, for index bounds and routing.
enum class Bound : std::uint8_t { kNone, kEqual, kIn, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kRegex, kPlace };

/// What an operator's parser makes of its operand. A negated clause holds for a document when its predicate holds for no
/// value at all: $ne is the opposite of $eq, {$exists: false} that of {$exists: true}. Without a predicate ($comment)
/// nothing is asked.
struct Clause {
  std::unique_ptr<const Predicate> predicate;
  bool negated = false;
  bool never = false;  ///< Holds for nothing, in place of a predicate.
  std::shared_ptr<const text::Query> text = nullptr;  ///< Of a $text, which a query has one of.
};

using ParseClause = Result<Clause> (*)(const OperatorArgs&);

/// What stands within an operator's operand, for the parser to go on with once `parse` has found the operand well formed.
enum class Holds : std::uint8_t {
  kNothing,
  kElement,  ///< $elemMatch: a filter for documents, or operators for values.
  kAll,      ///< $all: values and $elemMatch objects.
};

/// An operator on a field: {path: {$gt: 5}}. Without `parse` it is known but not supported.
struct MatchOperator {
  std::string_view name;
  std::string_view summary;
  ParseClause parse = nullptr;
  Bound bound = Bound::kNone;
  AtEnd at_end = AtEnd::kElements;
  Holds holds = Holds::kNothing;
  bool takes_siblings = false;  ///< What stands beside it in its object is its own to read.
  bool orders = false;          ///< Stands for an order of the answer too, once in a filter: $near. Asks about the document.
  std::vector<Example> examples = {};  ///< A filter, a document, "true" or "false".
};

/// What an operator at the top of a filter asks about: the document that is looked for, or just as well an element of an
/// array when it stands in $elemMatch.
enum class About : std::uint8_t { kDocument, kAny };

/// An operator that stands where a field name would: {$expr: ...}. Its predicate is shown the whole document. $and, $or
/// and $nor are the parser's own.
struct FilterOperator {
  std::string_view name;
  std::string_view summary;
  ParseClause parse = nullptr;
  About about = About::kDocument;
  bool in_upsert = true;  ///< Whether the filter of an upsert may have it.
  bool of_queries = false;  ///< Whether it has no place in what asks about values: check_asks_of_values().
  /// Adds to the filter what holds wherever this does, for planners; it stands in no $nor.
  void (*imply)(const OperatorArgs& args, FilterTree& filter) = nullptr;
  std::vector<Example> examples = {};
};

/// {$gt: 5}, but not {b: 5} and not a database reference, whatever else it has: those are compared as they are.
bool holds_operators(bson::Value value);

/// The error for a registered name that has no implementation.
Status not_supported(std::string_view name);

}  // namespace partita::query
