// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/projection/projection.h"

namespace partita::query {

/// Names in the trees point into `spec`.
Result<ProjectionTree> parse_projection(bson::View spec, const ExpressionContext& context);
Result<ProjectionTree> parse_find_projection(bson::View spec, const ExpressionContext& context);
Result<ProjectionTree> parse_additions(bson::View spec, const ExpressionContext& context);

}  // namespace partita::query
