// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <s2/s2region.h>

#include "query/geo/cells.h"
#include "query/geo/sphere.h"

namespace partita::query::geo {

/// The degrees that a cap takes; nullopt where it reaches over the edge of that map.
std::optional<FlatBox> box_of(const S2Cap& cap);

/// Where a 2dsphere index has what meets a region: all in the cells that cover it and, unless the index holds points alone,
/// those that these cells lie in.
CellRanges sphere_ranges(const S2Region& region, const SphereOptions& options, bool only_points);
/// The same without what lies well within `inner`.
CellRanges sphere_ranges(const S2Region& region, const S2Region& inner, const SphereOptions& options, bool only_points);
CellRanges sphere_ranges(const SphereShape& shape, const SphereOptions& options, bool only_points);

}  // namespace partita::query::geo
