// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "query/expressions/compiled_expression.h"
#include "query/match/matcher.h"
#include "shards/log/clock.h"

namespace partita::shards {

/// What its user demands of a collection's documents, of those that are written from then on: `validator`, `validationLevel`
/// and `validationAction` of its options. Immutable.
///
/// One that names $$NOW or $$CLUSTER_TIME means the time of the write, and is parsed anew for each of them.
struct Validation {
  bson::Document validator;
  std::optional<query::Matcher> matcher;  ///< Not of one that reads the clock.
  query::Collation collation = nullptr;
  bool moderate = false;  ///< What has not met it before may be changed into what does not either.
  bool warns = false;     ///< What does not meet it is stored, and told to the log.

  /// Null where nothing is demanded.
  static Result<std::shared_ptr<const Validation>> parse(bson::View options, const query::Collation& collation);
  /// DocumentValidationFailure, with what a client is told of the reason; and what the log is told where it only warns.
  Status check(bson::View document, const HybridClock& clock) const;
  Status check_change(bson::View before, bson::View after, const HybridClock& clock) const;

 private:
  query::ExpressionContext context_at(const HybridClock& clock) const;
  bool is_met_by(bson::View document, const query::ExpressionContext& context) const;
  Status check(bson::View document, const query::ExpressionContext& context) const;
};

}  // namespace partita::shards
