// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <s2/s2cap.h>
#include <s2/s2polygon.h>
#include <s2/s2polyline.h>

#include <memory>
#include <vector>

#include "query/geo/flat.h"

/// Shapes on the sphere, as GeoJSON means them: S2 does the geometry. Nothing but sources of this folder include this, for
/// S2's headers are long.
namespace partita::query::geo {

/// Of the Earth, by which distances on the sphere become metres.
constexpr double kEarthRadius = 6378100;

/// All parts of a geometry: one point, one polygon, or what the Multi... and a GeometryCollection hold.
struct SphereShape {
  std::vector<S2Point> points;
  std::vector<std::unique_ptr<S2Polyline>> lines;
  std::vector<std::unique_ptr<S2Polygon>> polygons;
  bool simple = true;   ///< One point, line or polygon: all that the first version of 2dsphere indexes knew.
  bool strict = false;  ///< A polygon to the left of its border, however large. Only for queries.
};

/// BadValue where the numbers are no longitude and latitude.
Result<S2Point> to_sphere(FlatPoint lng_lat);
bool is_on_sphere(FlatPoint lng_lat);

/// Touching counts, as far as a centimetre: a point is the smallest of S2's cells.
bool contains(const S2Polygon& polygon, const S2Point& point);
bool contains(const S2Cap& cap, const S2Point& point);

/// Whether each part of `inner` lies in one of the polygons, or in the cap.
bool contains(const SphereShape& outer, const SphereShape& inner);
bool contains(const S2Cap& outer, const SphereShape& inner);
bool intersects(const SphereShape& a, const SphereShape& b);
bool intersects(const SphereShape& shape, const S2Point& point);
/// From the point to what of the shape is nearest, in radians.
double distance(const S2Point& point, const SphereShape& shape);
inline double distance(const S2Point& a, const S2Point& b) { return S1Angle(a, b).radians(); }

}  // namespace partita::query::geo
