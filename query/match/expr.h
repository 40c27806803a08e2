// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/compiled_expression.h"
#include "query/match/predicate.h"

namespace partita::query {

/// What an $expr asks of a document.
class Expr final : public Predicate {
 public:
  explicit Expr(CompiledExpression expression) : expression_(std::move(expression)) {}
  bool matches(bson::Value document, MatchState& state) const override;
  const CompiledExpression& expression() const { return expression_; }

 private:
  CompiledExpression expression_;
};

}  // namespace partita::query
