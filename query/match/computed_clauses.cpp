// SPDX-License-Identifier: GPL-3.0-or-later
// A walk over the $and and $or at the top of an expression, with a stack of its own. Of an $and each part may be told or not;
// an $or says something only where all its parts do.
#include "query/match/computed_clauses.h"

#include <algorithm>

#include "query/expressions/compiled_expression.h"

namespace partita::query {
namespace {

using bson::Value;
using Kind = FilterNode::Kind;

/// More comparisons than that are no help in planning.
constexpr std::size_t kMostComparisons = 1000;

/// A comparison of expressions, and what it is where its sides change places.
struct Comparison {
  std::string_view expression;
  MatchOperator told;
  std::string_view turned;
};

const Comparison kComparisons[] = {
    {"$eq", {.name = "$_internalExprEq", .summary = "", .bound = Bound::kEqual}, "$eq"},
    {"$lt", {.name = "$_internalExprLt", .summary = "", .bound = Bound::kLess}, "$gt"},
    {"$lte", {.name = "$_internalExprLte", .summary = "", .bound = Bound::kLessOrEqual}, "$gte"},
    {"$gt", {.name = "$_internalExprGt", .summary = "", .bound = Bound::kGreater}, "$lt"},
    {"$gte", {.name = "$_internalExprGte", .summary = "", .bound = Bound::kGreaterOrEqual}, "$lte"},
};

const Comparison* find_comparison(std::string_view name) {
  const auto* found = std::ranges::find(kComparisons, name, &Comparison::expression);
  return found == std::end(kComparisons) ? nullptr : found;
}

/// "$a.b", "$$ROOT.a.b", "$$CURRENT.a.b": a field of the document.
std::optional<std::string_view> path_in(Value expression) {
  if (!expression.is_string()) return std::nullopt;
  std::string_view text = expression.as_string();
  for (const std::string_view document : {"$$ROOT.", "$$CURRENT."}) {
    if (text.starts_with(document)) return text.substr(document.size());
  }
  if (!text.starts_with('$') || text.starts_with("$$")) return std::nullopt;
  return text.substr(1);
}

class Walk {
 public:
  Walk(const ExpressionContext& context, FilterTree& filter) : context_(context), filter_(filter) {}

  void run(Value expression) {
    begin(expression);
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next < frame.operands.size()) {
        begin(frame.operands[frame.next++]);
      } else {
        finish();
      }
    }
  }

 private:
  struct Frame {
    std::uint32_t node;
    std::vector<Value> operands;
    std::size_t next = 0;
  };

  void begin(Value expression) {
    const bool is_call = expression.is_document() && expression.as_document().count() == 1;
    if (!is_call) return tell_nothing();
    const auto [name, operand] = *expression.as_document().begin();
    if (name == "$and" || name == "$or") {
      open_.push_back({next_node(), list_arguments(operand)});
      filter_.nodes.push_back({.kind = name == "$and" ? Kind::kAnd : Kind::kOr});
      return;
    }
    const Comparison* comparison = find_comparison(name);
    if (comparison == nullptr || !compare(*comparison, list_arguments(operand))) tell_nothing();
  }

  bool compare(const Comparison& comparison, const std::vector<Value>& sides) {
    if (told_ == kMostComparisons) return false;
    if (const auto path = path_in(sides[0])) return add(*path, comparison, sides[1]);
    const auto path = path_in(sides[1]);
    return path && add(*path, *find_comparison(comparison.turned), sides[0]);
  }

  bool add(std::string_view path, const Comparison& comparison, Value side) {
    if (path_in(side) || side.is_array()) return false;
    const auto compiled = CompiledExpression::compile(side, context_);
    const Value* value = compiled.ok() ? compiled->constant() : nullptr;
    if (value == nullptr || value->missing() || value->is_array() || value->is(bson::Type::kUndefined)) return false;
    filter_.made.push_back(bson::Document::build([&](bson::Writer& out) { out.add("", *value); }));
    FilterNode node{.kind = Kind::kComputed, .end = next_node() + 1, .path = FieldPath(path), .field_operator = &comparison.told};
    node.operand = filter_.made.back()[""];
    filter_.nodes.push_back(std::move(node));
    ++told_;
    return true;
  }

  /// The part in hand says nothing of a path: nor does an $or around it, then.
  void tell_nothing() {
    while (!open_.empty() && filter_.nodes[open_.back().node].kind == Kind::kOr) {
      filter_.nodes.resize(open_.back().node);
      open_.pop_back();
    }
  }

  void finish() {
    const std::uint32_t node = open_.back().node;
    open_.pop_back();
    if (next_node() == node + 1) {
      filter_.nodes.pop_back();
      return tell_nothing();
    }
    filter_.nodes[node].end = next_node();
  }

  std::uint32_t next_node() const { return static_cast<std::uint32_t>(filter_.nodes.size()); }

  const ExpressionContext& context_;
  FilterTree& filter_;
  std::vector<Frame> open_;
  std::size_t told_ = 0;
};

}  // namespace

void add_computed_clauses(Value expression, const ExpressionContext& context, FilterTree& filter) { Walk(context, filter).run(expression); }

}  // namespace partita::query
