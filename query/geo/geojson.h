// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/geo/sphere.h"

namespace partita::query::geo {

/// {type: "Polygon", coordinates: [...]}. BadValue, with MongoDB's words, for what is none. Takes what S2 finds valid: edges
/// do not cross, holes lie in the outer ring.
Result<SphereShape> parse_geojson(bson::View object);
/// Longitude and latitude of {type: "Point"}, or of what is taken for one where a point is expected.
Result<FlatPoint> parse_geojson_point(bson::View object);

}  // namespace partita::query::geo
