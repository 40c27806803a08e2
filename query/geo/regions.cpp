// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn in the plane is compared in the plane, with points alone; all else on the sphere.
#include <algorithm>
#include <numbers>

#include "query/geo/covering.h"
#include "query/geo/geojson.h"
#include "query/geo/geometry.h"
#include "query/geo/query.h"
#include "wire/bson/json.h"

namespace partita::query::geo {
namespace {

using bson::Value;
using bson::View;

class WithinFlat final : public Query {
 public:
  explicit WithinFlat(FlatShape shape) : shape_(std::move(shape)), bounds_(bounds(shape_)) {}

  bool holds(Value value) const override {
    const std::optional<Geometry> geometry = read_geometry(value);
    const auto point = geometry ? geometry->in_plane() : std::nullopt;
    return point && contains(shape_, *point);
  }
  std::optional<CellRanges> ranges(const SphereOptions&, bool) const override { return std::nullopt; }
  std::optional<CellRanges> ranges(const GridOptions& options) const override { return grid_ranges(bounds_, options); }

 private:
  FlatShape shape_;
  FlatBox bounds_;
};

/// Points go a short way, on which nothing is allocated; `Region` is a SphereShape or an S2Cap.
template <class Region>
bool is_within(const Region& region, const Geometry& geometry) {
  if (geometry.kind == Geometry::Kind::kShape) return contains(region, geometry.shape);
  const auto point = geometry.on_sphere();
  if (!point) return false;
  if constexpr (std::is_same_v<Region, S2Cap>) {
    return contains(region, *point);
  } else {
    return std::ranges::any_of(region.polygons, [&](const auto& polygon) { return contains(*polygon, *point); });
  }
}

class WithinCap final : public Query {
 public:
  explicit WithinCap(S2Cap cap) : cap_(cap) {}

  bool holds(Value value) const override {
    const std::optional<Geometry> geometry = read_geometry(value);
    return geometry && is_within(cap_, *geometry);
  }
  std::optional<CellRanges> ranges(const SphereOptions& options, bool only_points) const override {
    return sphere_ranges(cap_, options, only_points);
  }
  /// In degrees, unless the cap reaches over the edge of that map.
  std::optional<CellRanges> ranges(const GridOptions& options) const override {
    const std::optional<FlatBox> box = box_of(cap_);
    return box ? std::optional(grid_ranges(*box, options)) : std::nullopt;
  }

 private:
  S2Cap cap_;
};

class OnSphere final : public Query {
 public:
  enum class Asks : std::uint8_t { kWithin, kIntersects };
  OnSphere(SphereShape shape, Asks asks) : shape_(std::move(shape)), asks_(asks) {}

  bool holds(Value value) const override {
    std::optional<Geometry> geometry = read_geometry(value);
    if (!geometry) return false;
    if (asks_ == Asks::kWithin) return is_within(shape_, *geometry);
    if (geometry->kind == Geometry::Kind::kShape) return intersects(shape_, geometry->shape);
    const auto point = geometry->on_sphere();
    return point && intersects(shape_, *point);
  }
  std::optional<CellRanges> ranges(const SphereOptions& options, bool only_points) const override {
    return sphere_ranges(shape_, options, only_points);
  }
  std::optional<CellRanges> ranges(const GridOptions&) const override { return std::nullopt; }

 private:
  SphereShape shape_;
  Asks asks_;
};

/// The one shape beside what is ignored.
struct Specified {
  std::string_view name;
  Value value;
};

Result<Specified> find_specifier(View operand) {
  constexpr std::string_view kNames[] = {"$geometry", "$box", "$center", "$centerSphere", "$polygon"};
  Specified specified;
  for (const auto& [name, value] : operand) {
    if (name == "$uniqueDocs") continue;  // Of old; without effect since long.
    const bool known = std::ranges::find(kNames, name) != std::end(kNames) && (value.is_document() || value.is_array());
    if (!known) return error(Code::BadValue, "unknown geo specifier: ", name, ": ", bson::to_shell(value));
    specified = {name, value};
  }
  if (specified.name.empty()) return error(Code::BadValue, "geo query doesn't have any geometry");
  return specified;
}

Result<std::unique_ptr<const Query>> make_cap(View operand) {
  TRY(const FlatCircle circle, parse_circle(operand));
  TRY(const S2Point center, to_sphere(circle.center));
  const S1Angle radius = S1Angle::Radians(std::min(circle.radius, std::numbers::pi));
  return std::make_unique<WithinCap>(S2Cap(center, radius));
}

/// A legacy point stands for a shape too.
Result<SphereShape> parse_shape(Value geometry) {
  if (!is_legacy(geometry)) return parse_geojson(geometry.as_document());
  TRY(const FlatPoint flat, parse_flat_point(geometry, Beyond::kNothing));
  TRY(const S2Point point, to_sphere(flat));
  SphereShape shape;
  shape.points.push_back(point);
  return shape;
}

Status unfit(std::string_view words, View operand) {
  return error(Code::BadValue, words, " not supported with provided geometry: ", bson::to_shell(operand));
}

}  // namespace

Result<std::unique_ptr<const Query>> parse_within(View operand) {
  TRY(const Specified specified, find_specifier(operand));
  const auto& [name, value] = specified;
  if (name == "$centerSphere") return make_cap(value.as_document());
  if (name != "$geometry") {
    TRY(FlatShape shape, parse_flat_shape(name, value.as_document()));
    return std::make_unique<WithinFlat>(std::move(shape));
  }
  TRY(SphereShape shape, parse_shape(value));
  if (shape.polygons.empty()) return unfit("$within", operand);
  return std::make_unique<OnSphere>(std::move(shape), OnSphere::Asks::kWithin);
}

Result<std::unique_ptr<const Query>> parse_intersects(View operand) {
  TRY(const Specified specified, find_specifier(operand));
  const auto& [name, value] = specified;
  if (name == "$centerSphere") {  // Taken by MongoDB, and nothing is found to meet it.
    CHECK_OK(make_cap(value.as_document()).status());
    return std::make_unique<OnSphere>(SphereShape(), OnSphere::Asks::kIntersects);
  }
  if (name != "$geometry") {
    CHECK_OK(parse_flat_shape(name, value.as_document()).status());
    return unfit("$geoIntersect", operand);
  }
  TRY(SphereShape shape, parse_shape(value));
  return std::make_unique<OnSphere>(std::move(shape), OnSphere::Asks::kIntersects);
}

}  // namespace partita::query::geo
