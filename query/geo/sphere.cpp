// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/sphere.h"

#include <s2/s2cell.h>
#include <s2/s2latlng.h>

#include <algorithm>
#include <limits>
#include <numbers>

namespace partita::query::geo {
namespace {

bool same_cell(const S2Point& a, const S2Point& b) { return S2CellId(a) == S2CellId(b); }

/// Whether any of `parts` holds, however they are stored.
template <class Parts, class Holds>
bool any(const Parts& parts, Holds holds) {
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return holds(*part); });
}

/// Whether the line, or its only point of interest, comes as near as a cell to the point.
bool touches(const S2Polyline& line, const S2Point& point) { return line.MayIntersect(S2Cell(point)); }

bool intersects(const SphereShape& shape, const S2Polyline& line) {
  return std::ranges::any_of(shape.points, [&](const S2Point& point) { return touches(line, point); }) ||
         any(shape.lines, [&](const S2Polyline& other) { return other.Intersects(line); }) ||
         any(shape.polygons, [&](const S2Polygon& polygon) { return polygon.Intersects(line); });
}

bool intersects(const SphereShape& shape, const S2Polygon& polygon) {
  return std::ranges::any_of(shape.points, [&](const S2Point& point) { return contains(polygon, point); }) ||
         any(shape.lines, [&](const S2Polyline& line) { return polygon.Intersects(line); }) ||
         any(shape.polygons, [&](const S2Polygon& other) { return other.Intersects(polygon); });
}

double distance(const S2Point& point, const S2Polyline& line) {
  int next_vertex = 0;
  return S1Angle(point, line.Project(point, &next_vertex)).radians();
}

/// Whether all parts lie in something that `holds` tells of each.
template <class Holds>
bool holds_all(const SphereShape& inner, Holds holds) {
  return std::ranges::all_of(inner.points, holds) &&
         std::ranges::all_of(inner.lines, [&](const auto& line) { return holds(*line); }) &&
         std::ranges::all_of(inner.polygons, [&](const auto& polygon) { return holds(*polygon); });
}

}  // namespace

bool is_on_sphere(FlatPoint p) { return p.x >= -180 && p.x <= 180 && p.y >= -90 && p.y <= 90; }

Result<S2Point> to_sphere(FlatPoint p) {
  if (!is_on_sphere(p)) return error(Code::BadValue, "longitude/latitude is out of bounds, lng: ", p.x, " lat: ", p.y);
  return S2LatLng::FromDegrees(p.y, p.x).Normalized().ToPoint();
}

bool contains(const S2Polygon& polygon, const S2Point& point) {
  return polygon.Contains(point) || polygon.MayIntersect(S2Cell(point));
}

bool contains(const S2Cap& cap, const S2Point& point) { return cap.Contains(point) || cap.MayIntersect(S2Cell(point)); }

bool contains(const SphereShape& outer, const SphereShape& inner) {
  return holds_all(inner, [&](const auto& part) {
    return any(outer.polygons, [&](const S2Polygon& polygon) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, S2Point>) {
        return contains(polygon, part);
      } else {
        return polygon.Contains(part);
      }
    });
  });
}

/// A line or a polygon lies in a cap when it keeps away from what is left of the sphere, which is a cap too.
bool contains(const S2Cap& outer, const SphereShape& inner) {
  if (outer.is_full()) return true;
  const S2Point opposite = -outer.center();
  const double away = std::numbers::pi - outer.GetRadius().radians();
  return holds_all(inner, [&](const auto& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, S2Point>) {
      return contains(outer, part);
    } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, S2Polyline>) {
      return distance(opposite, part) >= away;
    } else {
      return part.GetDistance(opposite).radians() >= away;
    }
  });
}

bool intersects(const SphereShape& shape, const S2Point& point) {
  return std::ranges::any_of(shape.points, [&](const S2Point& other) { return same_cell(other, point); }) ||
         any(shape.lines, [&](const S2Polyline& line) { return touches(line, point); }) ||
         any(shape.polygons, [&](const S2Polygon& polygon) { return contains(polygon, point); });
}

bool intersects(const SphereShape& a, const SphereShape& b) {
  return std::ranges::any_of(b.points, [&](const S2Point& point) { return intersects(a, point); }) ||
         any(b.lines, [&](const S2Polyline& line) { return intersects(a, line); }) ||
         any(b.polygons, [&](const S2Polygon& polygon) { return intersects(a, polygon); });
}

double distance(const S2Point& point, const SphereShape& shape) {
  double least = std::numeric_limits<double>::infinity();
  for (const S2Point& other : shape.points) least = std::min(least, distance(point, other));
  for (const auto& line : shape.lines) least = std::min(least, distance(point, *line));
  for (const auto& polygon : shape.polygons) least = std::min(least, polygon->GetDistance(point).radians());
  return least;
}

}  // namespace partita::query::geo
