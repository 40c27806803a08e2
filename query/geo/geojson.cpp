// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/geojson.h"

#include <s2/s2error.h>
#include <s2/s2loop.h>

#include <algorithm>

#include "wire/bson/json.h"

namespace partita::query::geo {
namespace {

using bson::Value;
using bson::View;
using Loops = std::vector<std::unique_ptr<S2Loop>>;

template <class... Parts>
Status bad(Parts&&... parts) {
  return error(Code::BadValue, std::forward<Parts>(parts)...);
}

enum class Crs : std::uint8_t { kSphere, kStrict };

constexpr std::string_view kStrictName = "urn:x-mongodb:crs:strictwinding:EPSG:4326";

/// The system of coordinates: there is one, and a way to say that a polygon's border is to be taken at its word.
Result<Crs> parse_crs(View object, bool may_be_strict) {
  const Value crs = object["crs"];
  if (crs.missing()) return Crs::kSphere;
  if (!crs.is_document() && !crs.is_array()) return bad("GeoJSON CRS must be an object");
  const Value type = crs.as_document()["type"];
  if (!type.is_string() || type.as_string() != "name") return bad("GeoJSON CRS must have field \"type\": \"name\"");
  const Value properties = crs.as_document()["properties"];
  if (!properties.is_document() && !properties.is_array()) return bad("CRS must have field \"properties\" which is an object");
  const Value name = properties.as_document()["name"];
  if (!name.is_string()) return bad("In CRS, \"properties.name\" must be a string");
  if (name.as_string() == "EPSG:4326" || name.as_string() == "urn:ogc:def:crs:OGC:1.3:CRS84") return Crs::kSphere;
  if (name.as_string() != kStrictName) return bad("Unknown CRS name: ", name.as_string());
  if (!may_be_strict) return bad("Strict winding order is only supported by polygon");
  return Crs::kStrict;
}

Result<std::vector<S2Point>> parse_points(Value coordinates) {
  if (!coordinates.is_array()) return bad("GeoJSON coordinates must be an array of coordinates");
  std::vector<S2Point> points;
  for (const bson::Field& field : coordinates.as_document()) {
    if (!field.value.is_array()) return bad("GeoJSON coordinates must be an array");
    TRY(const FlatPoint flat, parse_flat_point(field.value, Beyond::kAnything));
    TRY(const S2Point point, to_sphere(flat));
    points.push_back(point);
  }
  return points;
}

void drop_repeated(std::vector<S2Point>& points) { points.erase(std::unique(points.begin(), points.end()), points.end()); }

/// A closed ring, its first corner said again at the end.
Result<std::unique_ptr<S2Loop>> parse_loop(Value coordinates) {
  TRY(std::vector<S2Point> points, parse_points(coordinates));
  if (points.empty()) return bad("Loop has no vertices: ", bson::to_shell(coordinates));
  if (points.front() != points.back()) return bad("Loop is not closed: ", bson::to_shell(coordinates));
  drop_repeated(points);
  points.pop_back();
  if (points.size() < 3) return bad("Loop must have at least 3 different vertices: ", bson::to_shell(coordinates));
  auto loop = std::make_unique<S2Loop>(points, S2Debug::DISABLE);
  S2Error problem;
  if (loop->FindValidationError(&problem)) return bad("Loop is not valid: ", bson::to_shell(coordinates), " ", problem.text());
  return loop;
}

std::unique_ptr<S2Polygon> polygon_of(Loops loops) {
  auto polygon = std::make_unique<S2Polygon>();
  polygon->set_s2debug_override(S2Debug::DISABLE);
  polygon->InitNested(std::move(loops));
  return polygon;
}

Result<std::unique_ptr<S2Polygon>> parse_polygon(Value coordinates) {
  if (!coordinates.is_array()) return bad("Polygon coordinates must be an array");
  Loops loops;
  for (const bson::Field& field : coordinates.as_document()) {
    TRY(std::unique_ptr<S2Loop> loop, parse_loop(field.value));
    loop->Normalize();  // Whichever way it runs, the smaller part is meant.
    if (!loops.empty() && !loops[0]->Contains(*loop)) {
      return bad("Secondary loops not contained by first exterior loop - secondary loops must be holes: ", bson::to_shell(field.value),
                 " first loop: ", bson::to_shell(coordinates.as_document().begin()->value));
    }
    loops.push_back(std::move(loop));
  }
  if (loops.empty()) return bad("Polygon has no loops.");
  auto polygon = polygon_of(std::move(loops));
  S2Error problem;
  if (polygon->FindValidationError(&problem)) return bad("Polygon isn't valid: ", problem.text(), " ", bson::to_shell(coordinates));
  if (!polygon->IsNormalized()) return bad("A loop shares more than one vertex with its parent loop: ", bson::to_shell(coordinates));
  if (polygon->GetLastDescendant(0) < polygon->num_loops() - 1) {
    return bad("Only one exterior polygon loop is allowed: ", bson::to_shell(coordinates));
  }
  for (int i = 0; i < polygon->num_loops(); ++i) {
    if (polygon->loop(i)->depth() > 1) return bad("Polygon interior loops cannot be nested: ", bson::to_shell(coordinates));
  }
  return polygon;
}

/// To the left of its border, even where that is most of the sphere. It has no holes.
Result<std::unique_ptr<S2Polygon>> parse_strict_polygon(Value coordinates) {
  if (!coordinates.is_array()) return bad("Coordinates of polygon must be an array");
  if (coordinates.as_document().count() != 1) {
    return bad("Only one simple loop is allowed in a big polygon: ", bson::to_shell(coordinates));
  }
  TRY(std::unique_ptr<S2Loop> loop, parse_loop(coordinates.as_document().begin()->value));
  return std::make_unique<S2Polygon>(std::move(loop), S2Debug::DISABLE);
}

Result<std::unique_ptr<S2Polyline>> parse_line(Value coordinates) {
  TRY(std::vector<S2Point> points, parse_points(coordinates));
  drop_repeated(points);
  if (points.size() < 2) return bad("GeoJSON LineString must have at least 2 vertices: ", bson::to_shell(coordinates));
  auto line = std::make_unique<S2Polyline>(points, S2Debug::DISABLE);
  S2Error problem;
  if (line->FindValidationError(&problem)) return bad("GeoJSON LineString is not valid: ", problem.text(), " ", bson::to_shell(coordinates));
  return line;
}

Status add_point(View object, SphereShape& shape) {
  TRY(const FlatPoint flat, parse_geojson_point(object));
  TRY(const S2Point point, to_sphere(flat));
  shape.points.push_back(point);
  return {};
}

Status add_line(View object, SphereShape& shape) {
  CHECK_OK(parse_crs(object, false).status());
  TRY(auto line, parse_line(object["coordinates"]));
  shape.lines.push_back(std::move(line));
  return {};
}

Status add_polygon(View object, SphereShape& shape) {
  TRY(const Crs crs, parse_crs(object, true));
  shape.strict |= crs == Crs::kStrict;
  TRY(auto polygon, crs == Crs::kStrict ? parse_strict_polygon(object["coordinates"]) : parse_polygon(object["coordinates"]));
  shape.polygons.push_back(std::move(polygon));
  return {};
}

Status add_points(View object, SphereShape& shape) {
  CHECK_OK(parse_crs(object, false).status());
  TRY(shape.points, parse_points(object["coordinates"]));
  if (shape.points.empty()) return bad("MultiPoint coordinates must have at least 1 element");
  return {};
}

/// The parts of a MultiLineString or a MultiPolygon.
template <class Part>
Status add_parts(std::string_view name, View object, Result<Part> (*parse)(Value), std::vector<Part>& parts) {
  CHECK_OK(parse_crs(object, false).status());
  const Value coordinates = object["coordinates"];
  if (!coordinates.is_array()) return bad(name, " coordinates must be an array");
  if (coordinates.as_document().empty()) return bad(name, " coordinates must have at least 1 element");
  for (const bson::Field& field : coordinates.as_document()) {
    TRY(Part part, parse(field.value));
    parts.push_back(std::move(part));
  }
  return {};
}

Status add_lines(View object, SphereShape& shape) { return add_parts("MultiLineString", object, parse_line, shape.lines); }
Status add_polygons(View object, SphereShape& shape) {
  return add_parts("MultiPolygon", object, parse_polygon, shape.polygons);
}

struct Kind {
  std::string_view name;
  Status (*add)(View object, SphereShape& shape);
  bool simple = false;
};
constexpr Kind kKinds[] = {
    {"Point", add_point, true}, {"LineString", add_line, true},    {"Polygon", add_polygon, true},
    {"MultiPoint", add_points}, {"MultiLineString", add_lines}, {"MultiPolygon", add_polygons},
};
constexpr std::string_view kCollection = "GeometryCollection";

/// Null for a name that is none of these.
const Kind* kind_of(View object) {
  const Value type = object["type"];
  const auto* found = type.is_string() ? std::ranges::find(kKinds, type.as_string(), &Kind::name) : std::end(kKinds);
  return found == std::end(kKinds) ? nullptr : found;
}

bool is_collection(View object) { return object["type"].is_string() && object["type"].as_string() == kCollection; }

template <class Part>
void move_behind(std::vector<Part>& from, std::vector<Part>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

Result<SphereShape> parse_collection(View object) {
  const Value geometries = object["geometries"];
  if (!geometries.is_array()) return bad("GeometryCollection geometries must be an array");
  if (geometries.as_document().empty()) return bad("GeometryCollection geometries must have at least 1 element");
  SphereShape shape{.simple = false};
  for (const auto& [place, value] : geometries.as_document()) {
    if (!value.is_document()) return bad("Element ", place, " of \"geometries\" is not an object");
    if (is_collection(value.as_document())) return bad("GeometryCollections cannot be nested: ", bson::to_shell(value));
    const Kind* kind = kind_of(value.as_document());
    if (kind == nullptr) return bad("Unknown GeoJSON type: ", bson::to_shell(value));
    SphereShape part;
    CHECK_OK(kind->add(value.as_document(), part));
    move_behind(part.points, shape.points);
    move_behind(part.lines, shape.lines);
    move_behind(part.polygons, shape.polygons);
    shape.strict |= part.strict;
  }
  return shape;
}

}  // namespace

Result<SphereShape> parse_geojson(View object) {
  if (is_collection(object)) return parse_collection(object);
  const Kind* kind = kind_of(object);
  if (kind == nullptr) return bad("unknown GeoJSON type: ", bson::to_shell(object));
  SphereShape shape{.simple = kind->simple};
  CHECK_OK(kind->add(object, shape));
  return shape;
}

Result<FlatPoint> parse_geojson_point(View object) {
  CHECK_OK(parse_crs(object, false).status());
  TRY(const FlatPoint flat, parse_flat_point(object["coordinates"], Beyond::kAnything));
  if (!is_on_sphere(flat)) return to_sphere(flat).status();
  return flat;
}

}  // namespace partita::query::geo
