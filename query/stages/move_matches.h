// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/stages/pipeline.h"

namespace partita::query {

/// Parses `stages` with their $match where they are asked as early as may be, so that they become the filter of the walk that
/// an index serves: the filter of a find on a view, say, behind the stages of that view. Where anything has moved, `stages`
/// become those that are run, which explain tells. Rows and their order are those that the stages as they were written
/// yield; where a stage that was to come before fails for a document that a filter now keeps from it, it does not, as with
/// MongoDB.
Result<Pipeline> parse_with_moved_matches(bson::Document& stages, const ExpressionContext& context);

}  // namespace partita::query
