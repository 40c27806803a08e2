// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace partita::test {

using bson::ArrayWriter;
using bson::Writer;

constexpr int kPoint = 0, kLine = 1, kPolygon = 2, kPoints = 3, kLines = 4, kPolygons = 5, kCollection = 6;

RandomGeometry::Place RandomGeometry::place() {
  constexpr Place kCenters[] = {{10.1, 20.2}, {12.3, 24.5}, {-60.7, -5.3}, {176.3, 40.1}, {-177.9, 38.7}, {30.3, 84.1}};
  return near(random_.pick(kCenters), size());
}

RandomGeometry::Place RandomGeometry::near(Place center, double size) {
  const Place made{center.x + (fraction() - 0.5) * size, center.y + (fraction() - 0.5) * size};
  return {std::clamp(made.x, -179.93, 179.97), std::clamp(made.y, -89.1, 89.3)};
}

void RandomGeometry::add_pair(ArrayWriter& out, Place place) {
  ArrayWriter pair = out.array();
  pair.push(place.x);
  pair.push(place.y);
}

void RandomGeometry::add_line(ArrayWriter& out) {
  const Place start = place();
  const double reach = size();
  const auto points = random_.between(2, 4);
  for (std::int64_t i = 0; i < points; ++i) add_pair(out, near(start, reach));
}

/// So that a ring of that size ends before the map does.
RandomGeometry::Place RandomGeometry::inwards(Place center, double size) {
  return {std::clamp(center.x, size - 179.9, 179.8 - size), std::clamp(center.y, size - 89.1, 89.2 - size)};
}

/// Corners around a centre, by their angle: no two edges cross.
void RandomGeometry::add_ring(ArrayWriter& out, Place center, double size, bool reversed) {
  std::vector<Place> corners;
  const auto count = random_.between(3, 8);
  for (std::int64_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(i) + 0.6 * fraction()) / static_cast<double>(count);
    const double away = size * (0.55 + 0.4 * fraction());
    corners.push_back({center.x + away * std::cos(angle), center.y + away * std::sin(angle)});
  }
  if (reversed) std::reverse(corners.begin(), corners.end());
  corners.push_back(corners.front());
  for (const Place& corner : corners) add_pair(out, corner);
}

void RandomGeometry::add_polygon(ArrayWriter& out) {
  const double outer = size() / 2;
  const Place center = inwards(place(), outer);
  {
    ArrayWriter ring = out.array();
    add_ring(ring, center, outer, random_.one_in(2));
  }
  if (!random_.one_in(3)) return;
  ArrayWriter hole = out.array();
  add_ring(hole, center, outer / 5, random_.one_in(2));
}

void RandomGeometry::add_geometry(Writer& out, int kind) {
  constexpr std::string_view kNames[] = {"Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection"};
  out.add("type", kNames[kind]);
  if (kind == kCollection) {
    ArrayWriter parts = out.array("geometries");
    for (auto i = random_.between(1, 3); i > 0; --i) {
      Writer part = parts.document();
      add_geometry(part, static_cast<int>(random_.below(kCollection)));
    }
    return;
  }
  ArrayWriter coordinates = out.array("coordinates");
  if (kind == kPoint) {
    const Place p = place();
    coordinates.push(p.x);
    coordinates.push(p.y);
  } else if (kind == kLine) {
    add_line(coordinates);
  } else if (kind == kPolygon) {
    add_polygon(coordinates);
  } else {
    for (auto i = random_.between(1, 3); i > 0; --i) {
      if (kind == kPoints) {
        add_pair(coordinates, place());
      } else {
        ArrayWriter part = coordinates.array();
        kind == kLines ? add_line(part) : add_polygon(part);
      }
    }
  }
}

bson::Document RandomGeometry::point() {
  return bson::Document::build([&](Writer& out) { add_geometry(out, kPoint); });
}

bson::Document RandomGeometry::document(std::int32_t id) {
  return bson::Document::build([&](Writer& out) {
    out.add("_id", id);
    out.add("b", static_cast<std::int32_t>(random_.below(3)));
    const auto form = random_.below(12);
    const Place p = place();
    if (form == 0) {
      ArrayWriter pair = out.array("a");
      pair.push(p.x);
      pair.push(p.y);
    } else if (form == 1) {
      Writer pair = out.document("a");
      pair.add("lng", p.x);
      pair.add("lat", p.y);
    } else {
      Writer geometry = out.document("a");
      add_geometry(geometry, form < 5 ? kPoint : static_cast<int>(form - 5));
    }
  });
}

/// In the plane, or a circle on the sphere.
void RandomGeometry::add_flat(Writer& out) {
  const Place center = place();
  constexpr std::string_view kNames[] = {"$box", "$polygon", "$center", "$centerSphere"};
  const std::string_view name = random_.pick(kNames);
  ArrayWriter parts = out.array(name);
  if (name == "$box") {
    add_pair(parts, center);
    add_pair(parts, near(center, size()));
  } else if (name == "$polygon") {
    const double reach = size();
    add_ring(parts, inwards(center, reach), reach, false);
  } else {
    add_pair(parts, center);
    parts.push(size() * fraction() * (name == "$center" ? 1 : 0.02));
  }
}

bson::Document RandomGeometry::filter() {
  return bson::Document::build([&](Writer& out) {
    Writer field = out.document("a");
    const bool within = random_.one_in(2);
    Writer shape = field.document(within ? "$geoWithin" : "$geoIntersects");
    if (within && random_.one_in(2)) return add_flat(shape);
    Writer geometry = shape.document("$geometry");
    constexpr int kAreas[] = {kPolygon, kPolygons};
    add_geometry(geometry, within ? random_.pick(kAreas) : static_cast<int>(random_.below(kCollection + 1)));
  });
}

}  // namespace partita::test
