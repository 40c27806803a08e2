// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "query/geo/cells.h"

namespace partita::query::geo {

/// What a filter asks of the places in a field: $geoWithin, $geoIntersects, $near. Shapes are parsed once. Immutable, asked
/// from any thread.
class Query {
 public:
  virtual ~Query() = default;
  /// Whether a value of a document is a geometry of the kind that is asked for.
  virtual bool holds(bson::Value value) const = 0;

  /// Where an index has all that may be asked for; nullopt where it may lack some. `only_points`: it has no shapes.
  virtual std::optional<CellRanges> ranges(const SphereOptions& options, bool only_points) const = 0;
  virtual std::optional<CellRanges> ranges(const GridOptions& options) const = 0;
};

/// {$geometry: shape}, {$box: ...}, {$centerSphere: ...}. BadValue, with MongoDB's words, for others.
Result<std::unique_ptr<const Query>> parse_within(bson::View operand);
Result<std::unique_ptr<const Query>> parse_intersects(bson::View operand);

}  // namespace partita::query::geo
