// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/flat.h"

#include <algorithm>
#include <cmath>

namespace partita::query::geo {
namespace {

using bson::Value;

FlatBox box_of(const FlatBox& box) { return box; }

FlatBox box_of(const FlatCircle& circle) {
  const auto& [center, radius] = circle;
  return {{center.x - radius, center.y - radius}, {center.x + radius, center.y + radius}};
}

FlatBox box_of(const FlatPolygon& polygon) {
  FlatBox box{polygon.corners.front(), polygon.corners.front()};
  for (const FlatPoint& corner : polygon.corners) {
    box.low = {std::min(box.low.x, corner.x), std::min(box.low.y, corner.y)};
    box.high = {std::max(box.high.x, corner.x), std::max(box.high.y, corner.y)};
  }
  return box;
}

/// The next field's value; missing behind the last one.
Value take(bson::View::Iterator& at) {
  if (at == std::default_sentinel) return {};
  const Value value = at->value;
  ++at;
  return value;
}

Result<FlatShape> parse_box(bson::View operand) {
  auto at = operand.begin();
  TRY(const FlatPoint a, parse_flat_point(take(at), Beyond::kNothing));
  TRY(const FlatPoint b, parse_flat_point(take(at), Beyond::kNothing));
  return FlatBox{{std::min(a.x, b.x), std::min(a.y, b.y)}, {std::max(a.x, b.x), std::max(a.y, b.y)}};
}

Result<FlatShape> parse_polygon(bson::View operand) {
  FlatPolygon polygon;
  for (const bson::Field& field : operand) {
    TRY(const FlatPoint corner, parse_flat_point(field.value, Beyond::kNothing));
    polygon.corners.push_back(corner);
  }
  if (polygon.corners.size() < 3) return error(Code::BadValue, "Polygon must have at least 3 points");
  return polygon;
}

}  // namespace

double distance(FlatPoint a, FlatPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// On a corner, or on a border that is parallel to an axis, a point is inside. On other borders numbers are too coarse to tell.
bool FlatPolygon::contains(FlatPoint p) const {
  const auto between = [](double value, double a, double b) { return std::min(a, b) <= value && value <= std::max(a, b); };
  bool inside = false;
  FlatPoint from = corners.back();
  for (const FlatPoint to : corners) {
    if (p.x == to.x && p.y == to.y) return true;
    if (from.x == to.x && p.x == to.x && between(p.y, from.y, to.y)) return true;
    if (from.y == to.y && p.y == to.y && between(p.x, from.x, to.x)) return true;
    const bool crosses = (from.y < p.y) != (to.y < p.y);
    if (crosses && p.x <= (to.x - from.x) * (p.y - from.y) / (to.y - from.y) + from.x) inside = !inside;
    from = to;
  }
  return inside;
}

FlatBox bounds(const FlatShape& shape) {
  return std::visit([](const auto& one) { return box_of(one); }, shape);
}

Result<FlatPoint> parse_flat_point(Value value, Beyond beyond) {
  if (!value.is_document() && !value.is_array()) return error(Code::BadValue, "Point must be an array or object");
  auto at = value.as_document().begin();
  const auto x = take(at).to_double();
  const auto y = take(at).to_double();
  if (!x || !y) return error(Code::BadValue, "Point must only contain numeric elements");
  if (beyond == Beyond::kNothing && at != std::default_sentinel) {
    return error(Code::BadValue, "Point must only contain two numeric elements");
  }
  if (!std::isfinite(*x) || !std::isfinite(*y)) return error(Code::BadValue, "Point coordinates must be finite numbers");
  return FlatPoint{*x, *y};
}

Result<FlatCircle> parse_circle(bson::View operand) {
  auto at = operand.begin();
  TRY(const FlatPoint center, parse_flat_point(take(at), Beyond::kNothing));
  const auto radius = take(at).to_double();
  if (!radius || !(*radius >= 0)) return error(Code::BadValue, "radius must be a non-negative number");
  if (at != std::default_sentinel) return error(Code::BadValue, "Only 2 fields allowed for circular region");
  return FlatCircle{center, *radius};
}

Result<FlatShape> parse_flat_shape(std::string_view name, bson::View operand) {
  if (name == "$box") return parse_box(operand);
  if (name == "$polygon") return parse_polygon(operand);
  TRY(const FlatCircle circle, parse_circle(operand));
  return circle;
}

}  // namespace partita::query::geo
