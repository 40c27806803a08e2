// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/geo/sphere.h"

namespace partita::query::geo {

/// What a document has in a field of places: a legacy point, which lies in the plane and may be taken for one of the
/// sphere, or GeoJSON, of which a point may be taken for one of the plane. A point costs no memory.
struct Geometry {
  enum class Kind : std::uint8_t { kFlatPoint, kSpherePoint, kShape };
  Kind kind = Kind::kFlatPoint;
  FlatPoint point;
  SphereShape shape;

  /// BadValue for what is no geometry.
  static Result<Geometry> parse(bson::Value value);

  std::optional<FlatPoint> in_plane() const;
  /// Of a point; nullopt where its numbers are no longitude and latitude. Not of shapes.
  std::optional<S2Point> on_sphere() const;
};

/// [1, 2] or {lng: 1, lat: 2}.
bool is_legacy(bson::Value value);
/// The geometry that a value is, if it is one that can be compared with others: not a polygon that says which side of its
/// border is meant.
std::optional<Geometry> read_geometry(bson::Value value);

}  // namespace partita::query::geo
