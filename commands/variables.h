// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "query/expressions/compiled_expression.h"
#include "query/match/filter_tree.h"

namespace partita::shards {
class Store;
}  // namespace partita::shards

namespace partita::commands {

/// What the expressions of one command may know beside documents: the variables of its `let`, whose values are computed
/// once, the time it came, and where its random choices begin. Owns these values; whoever has parsed with them has copies.
class Variables {
 public:
  /// Each variable may use those before it, and no document. Fails as mongod does where one does not have a value.
  /// They compare by the collation, as all that is computed with them.
  static Result<Variables> of(Operation& operation, bson::View let = {}, query::Collation collation = nullptr);

  const query::ExpressionContext& context() const { return context_; }
  /// Of what stands beside a filter: expressions there may ask how well documents fit its $text.
  query::ExpressionContext beside(const query::FilterTree& filter) const {
    query::ExpressionContext context = context_;
    context.text = filter.text;
    return context;
  }

 private:
  query::ExpressionContext context_;
  query::Arena values_{256};
};

/// The time alone: all that a definition may name which is kept, and read later.
query::ExpressionContext clock_context(shards::Store& store);

}  // namespace partita::commands
