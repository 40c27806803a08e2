// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "query/match/matcher.h"

namespace partita::shards {

/// What its user demands of a collection's documents, of those that are written from then on: `validator`, `validationLevel`
/// and `validationAction` of its options. Immutable.
struct Validation {
  query::Matcher matcher;
  bool moderate = false;  ///< What has not met it before may be changed into what does not either.
  bool warns = false;     ///< What does not meet it is stored, and told to the log.

  /// Null where nothing is demanded.
  static Result<std::shared_ptr<const Validation>> parse(bson::View options, const query::Collation& collation);
  bool is_met_by(bson::View document) const;
  /// DocumentValidationFailure, with what a client is told of the reason; and what the log is told where it only warns.
  Status check(bson::View document) const;
  Status check_change(bson::View before, bson::View after) const;
};

}  // namespace partita::shards
