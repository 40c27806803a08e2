// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/variables.h"

#include "commands/server.h"
#include "commands/wall_time.h"
#include "query/expressions/variable_names.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// Nearly no command draws from it, so that the store's own source, which has a lock, is asked once for each thread.
std::uint64_t next_seed(shards::Store& store) {
  thread_local std::uint64_t seed = store.random().next();
  return seed += 0xD1B54A32D192ED03;
}

Result<bson::Value> value_of(bson::Value source, const query::ExpressionContext& context, query::Arena& values) {
  TRY(const query::CompiledExpression expression, query::CompiledExpression::compile(source, context));
  if (expression.reads_document()) {
    return error(Code{4890500}, "Command let Expression tried to access a field, but this is not allowed because Command let "
                 "Expressions run before the query examines any documents.");
  }
  TRY(const bson::Value value, expression.evaluate(bson::View(), values));
  return values.copy(value);
}

}  // namespace

query::ExpressionContext clock_context(shards::Store& store) {
  return {.now = now_as_date(), .cluster_time = bson::Timestamp::from_bits(store.clock().now())};
}

Result<Variables> Variables::of(Operation& operation, bson::View let, query::Collation collation) {
  Variables made;
  shards::Store& store = operation.server().store;
  made.context_ = clock_context(store);
  made.context_.random_seed = next_seed(store);
  made.context_.texts = &operation.texts();
  made.context_.collation = std::move(collation);
  for (const auto& [name, source] : let) {
    Status definable = query::check_definable_variable(name);
    if (!definable.ok()) return std::move(definable).with_context("Invalid 'let' parameter :: caused by :: ");
    TRY(const bson::Value value, value_of(source, made.context_, made.values_));
    made.context_.variables.insert_or_assign(std::string(name), value);
  }
  return made;
}

}  // namespace partita::commands
