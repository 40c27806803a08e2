// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/geometry.h"

#include "query/geo/geojson.h"
#include "query/geo/is_geometry.h"
#include "wire/bson/json.h"

namespace partita::query::geo {

bool is_legacy(bson::Value value) {
  if (value.is_array()) return true;
  return !value.as_document().empty() && value.as_document().begin()->value.is_number();
}

namespace {

/// Tells without an error, and so without its text, that a value is none: an array of other things is met often.
bool may_be_geometry(bson::Value value) {
  if (!value.is_document() && !value.is_array()) return false;
  const bson::View view = value.as_document();
  if (view.empty()) return false;
  return view.begin()->value.is_number() || (value.is_document() && view.has("type"));
}

}  // namespace

std::optional<Geometry> read_geometry(bson::Value value) {
  if (!may_be_geometry(value)) return std::nullopt;
  Result<Geometry> geometry = Geometry::parse(value);
  if (!geometry.ok() || geometry->shape.strict) return std::nullopt;
  return std::move(geometry).value();
}

Result<Geometry> Geometry::parse(bson::Value value) {
  if (!value.is_document() && !value.is_array()) {
    return error(Code::BadValue, "geo element must be an array or object: ", bson::to_shell(value));
  }
  Geometry geometry;
  if (is_legacy(value)) {
    TRY(geometry.point, parse_flat_point(value, Beyond::kAnything));
    return geometry;
  }
  const bson::Value type = value.as_document()["type"];
  if (type.is_string() && type.as_string() == "Point") {
    TRY(geometry.point, parse_geojson_point(value.as_document()));
    geometry.kind = Kind::kSpherePoint;
    return geometry;
  }
  TRY(geometry.shape, parse_geojson(value.as_document()));
  geometry.kind = Kind::kShape;
  return geometry;
}

std::optional<FlatPoint> Geometry::in_plane() const {
  return kind == Kind::kShape ? std::nullopt : std::optional(point);
}

std::optional<S2Point> Geometry::on_sphere() const {
  if (kind == Kind::kShape || !is_on_sphere(point)) return std::nullopt;
  return to_sphere(point).value();
}

bool is_geometry(bson::Value value) { return Geometry::parse(value).ok(); }

}  // namespace partita::query::geo
