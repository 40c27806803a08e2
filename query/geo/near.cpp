// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/near.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "query/geo/covering.h"
#include "query/geo/geojson.h"
#include "query/geo/geometry.h"
#include "query/match/path_walk.h"
#include "wire/bson/json.h"

namespace partita::query::geo {
namespace {

using bson::Value;
using bson::View;

/// How far the first look goes.
constexpr double kFirstMetres = 25;

const CellRange kEverything{INT64_MIN, INT64_MAX};

/// What a geometry may be off by when it is computed in another way.
double widened(double radius) { return radius * (1 + 1e-9) + 1e-12; }

}  // namespace

/// In the plane.
class FlatNear final : public NearQuery {
 public:
  FlatNear(std::string_view path, FlatPoint center, double least, double most)
      : NearQuery(path, {least, most}), center_(center) {}

  std::optional<CellRanges> ranges(const SphereOptions&, bool) const override { return std::nullopt; }
  std::optional<CellRanges> ranges(const GridOptions& options) const override {
    const double inner = least_ * (1 - 1e-9) / std::numbers::sqrt2;  // Of the square within the circle.
    return grid_ranges(square(widened(std::min(most_, 1e300))), options, inner > 0 ? std::optional(square(inner)) : std::nullopt);
  }
  std::unique_ptr<const NearQuery> ring(double least, double most) const override {
    return std::make_unique<FlatNear>(path_.text(), center_, least, most);
  }
  Reach reach(const GridOptions& options) const override {
    const auto away = [&](double value) { return std::max(std::abs(value - options.min), std::abs(value - options.max)); };
    return {(options.max - options.min) / (1 << 16), std::hypot(away(center_.x), away(center_.y))};
  }
  std::optional<FlatPoint> from() const override { return center_; }

 private:
  FlatBox square(double half) const { return {{center_.x - half, center_.y - half}, {center_.x + half, center_.y + half}}; }
  std::optional<double> distance_of(Value value) const override {
    const auto geometry = read_geometry(value);
    const auto point = geometry ? geometry->in_plane() : std::nullopt;
    return point ? std::optional(distance(center_, *point)) : std::nullopt;
  }

  FlatPoint center_;
};

/// On the sphere, in metres or in radians.
class SphereNear final : public NearQuery {
 public:
  struct Center {
    S2Point point;
    bool legacy = false;  ///< Distances are radians, and a 2d index will do.
  };
  SphereNear(std::string_view path, const Center& center, double least, double most)
      : NearQuery(path, {least, most}), center_(center), unit_(center.legacy ? 1 : kEarthRadius) {}

  std::optional<CellRanges> ranges(const SphereOptions& options, bool only_points) const override {
    if (reaches_all() && least_ <= 0) return CellRanges{kEverything};
    return sphere_ranges(cap(), inner_cap(), options, only_points);
  }
  std::unique_ptr<const NearQuery> ring(double least, double most) const override {
    return std::make_unique<SphereNear>(path_.text(), center_, least, most);
  }
  Reach reach(const GridOptions&) const override { return {kFirstMetres / kEarthRadius * unit_, std::numbers::pi * unit_}; }
  std::optional<FlatPoint> from() const override {
    const S2LatLng place(center_.point);
    return center_.legacy ? std::optional(FlatPoint{place.lng().degrees(), place.lat().degrees()}) : std::nullopt;
  }
  std::optional<CellRanges> ranges(const GridOptions& options) const override {
    if (!center_.legacy) return std::nullopt;
    const std::optional<FlatBox> box = reaches_all() ? std::nullopt : box_of(cap());
    return box ? grid_ranges(*box, options) : CellRanges{kEverything};
  }

 private:
  bool reaches_all() const { return most_ / unit_ >= std::numbers::pi; }
  /// What is too near to be asked for.
  S2Cap inner_cap() const {
    const double radius = least_ / unit_ * (1 - 1e-9) - 1e-12;
    return radius > 0 ? S2Cap(center_.point, S1Angle::Radians(std::min(radius, std::numbers::pi))) : S2Cap::Empty();
  }
  S2Cap cap() const { return S2Cap(center_.point, S1Angle::Radians(std::min(widened(most_ / unit_), std::numbers::pi))); }

  std::optional<double> distance_of(Value value) const override {
    const auto geometry = read_geometry(value);
    if (!geometry) return std::nullopt;
    if (geometry->kind == Geometry::Kind::kShape) return distance(center_.point, geometry->shape) * unit_;
    const auto point = geometry->on_sphere();
    return point ? std::optional(distance(center_.point, *point) * unit_) : std::nullopt;
  }

  Center center_;
  double unit_;
};

namespace {

bson::Field nth(View view, std::size_t n) {
  auto at = view.begin();
  while (n-- > 0) ++at;
  return *at;
}

/// What stands in a query of either form.
struct Draft {
  std::optional<FlatPoint> flat;
  std::optional<S2Point> sphere;
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool has_point() const { return flat || sphere; }
};

/// The codes of distances that are none, in either form.
struct Refusals {
  Code no_number;
  Code negative;
};

Result<double> read_distance(std::string_view name, Value value, const Refusals& codes) {
  const auto number = value.to_double();
  if (!number) return error(codes.no_number, name, " must be a number");
  if (!(*number >= 0)) return error(codes.negative, name, " must be non-negative");
  return *number;
}

/// [1, 2], {lng: 1, lat: 2}, either with a third number that is the greatest distance, or a GeoJSON point. Leaves the draft
/// alone where it is none of these.
Status read_legacy_point(View operand, Draft& draft) {
  const Value value = Value::of(operand);
  if (operand.empty()) return {};
  if (!operand.begin()->value.is_number()) {
    const Value type = operand["type"];
    if (!type.is_string() || type.as_string() != "Point") return {};
    const Result<FlatPoint> point = parse_geojson_point(operand);
    if (point.ok()) draft.sphere = to_sphere(*point).value();
    return {};
  }
  const Result<FlatPoint> point = parse_flat_point(value, Beyond::kAnything);
  const std::size_t count = operand.count();
  if (!point.ok() || count > 3) return {};
  if (count == 3) {
    const auto most = nth(operand, 2).value.to_double();
    if (!most) return {};
    if (!(*most >= 0)) return error(Code{18522}, "max distance must be non-negative");
    draft.most = *most;
  }
  draft.flat = *point;
  return {};
}

/// {$near: [1, 2], $maxDistance: 3}. A draft without a point where it is of the other form.
Result<Draft> read_legacy(Value operand, View siblings) {
  Draft draft;
  if (!operand.is_document() && !operand.is_array()) return draft;
  CHECK_OK(read_legacy_point(operand.as_document(), draft));
  bool first = true;
  for (const auto& [name, value] : siblings) {
    if (std::exchange(first, false)) continue;
    if (name == "$minDistance") {
      TRY(draft.least, read_distance(name, value, {Code{16893}, Code{16894}}));
    } else if (name == "$maxDistance") {
      TRY(draft.most, read_distance(name, value, {Code{16895}, Code{16896}}));
    } else if (name != "$uniqueDocs") {
      return error(Code{34413}, "invalid argument in geo near query: ", name);
    }
  }
  return draft;
}

Status read_center(Value geometry, Draft& draft) {
  if (!geometry.is_document() && !geometry.is_array()) return {};
  if (is_legacy(geometry)) return error(Code::BadValue, "$near requires geojson point, given ", bson::to_shell(geometry));
  const Result<FlatPoint> point = parse_geojson_point(geometry.as_document());
  if (!point.ok()) {
    return error(Code::BadValue, "invalid point in geo near query $geometry argument: ", bson::to_shell(geometry), "  ",
                 point.status().message());
  }
  draft.sphere = to_sphere(*point).value();
  return {};
}

/// {$near: {$geometry: point, $maxDistance: 3}}
Result<Draft> read_modern(Value operand, View siblings) {
  if (siblings.count() > 1) {
    return error(Code::BadValue, "geo near accepts just one argument when querying for a GeoJSON point. Extra field found: ",
                 nth(siblings, 1).name);
  }
  Draft draft;
  for (const auto& [name, value] : operand.as_document()) {
    constexpr Refusals kCodes{Code::BadValue, Code::BadValue};
    if (name == "$geometry") {
      CHECK_OK(read_center(value, draft));
    } else if (name == "$minDistance") {
      TRY(draft.least, read_distance(name, value, kCodes));
    } else if (name == "$maxDistance") {
      TRY(draft.most, read_distance(name, value, kCodes));
    } else {
      return error(Code::BadValue, "invalid argument in geo near query: ", name);
    }
  }
  if (!draft.has_point()) return error(Code::BadValue, "$geometry is required for geo near query");
  return draft;
}

}  // namespace

Result<std::unique_ptr<const NearQuery>> NearQuery::parse(std::string_view path, std::string_view name, Value operand, View siblings) {
  const bool first = siblings.empty() || siblings.begin()->name == name;
  if (!first || (!operand.is_document() && !operand.is_array())) {
    return error(Code::BadValue, "near must be first in: ", bson::to_shell(siblings));
  }
  TRY(Draft draft, read_legacy(operand, siblings));
  if (!draft.has_point()) {
    TRY(draft, read_modern(operand, siblings));
  }
  const bool legacy = draft.flat.has_value();
  if (legacy && name == "$nearSphere") {
    if (!is_on_sphere(*draft.flat)) return error(Code::BadValue, "Legacy point is out of bounds for spherical query");
    TRY(draft.sphere, to_sphere(*draft.flat));
  }
  if (draft.sphere) {
    return std::make_unique<SphereNear>(path, SphereNear::Center{*draft.sphere, legacy}, draft.least, draft.most);
  }
  return std::make_unique<FlatNear>(path, *draft.flat, draft.least, draft.most);
}

/// Each value that the path leads to is a geometry, or an array of some.
std::optional<Nearest> NearQuery::nearest(View document) const {
  std::optional<Nearest> nearest;
  const auto consider = [&](Value value) {
    const auto distance = distance_of(value);
    if (distance && (!nearest || *distance < nearest->distance)) nearest = {*distance, value};
    return distance.has_value();
  };
  const auto consider_all = [&](Value value) {
    if (consider(value) || !value.is_array()) return;
    for (const bson::Field& element : value.as_document()) consider(element.value);
  };
  each_along_path(document, path_, consider_all);
  return nearest;
}

}  // namespace partita::query::geo
