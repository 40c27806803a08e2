// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "wire/bson/view.h"
#include "wire/error/status.h"

/// Shapes in the plane, as legacy coordinates mean them: no sphere, no wrapping.
namespace partita::query::geo {

struct FlatPoint {
  double x = 0;
  double y = 0;
};

double distance(FlatPoint a, FlatPoint b);

/// A rectangle whose sides are parallel to the axes.
struct FlatBox {
  FlatPoint low;
  FlatPoint high;
  bool contains(FlatPoint p) const { return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y; }
  bool contains(const FlatBox& box) const { return contains(box.low) && contains(box.high); }
  bool intersects(const FlatBox& box) const {
    return low.x <= box.high.x && box.low.x <= high.x && low.y <= box.high.y && box.low.y <= high.y;
  }
};

struct FlatCircle {
  FlatPoint center;
  double radius = 0;
  bool contains(FlatPoint p) const { return distance(center, p) <= radius; }
};

/// Corners in their order; the last one leads back to the first. Edges may cross: a point is inside where a ray from it
/// crosses an odd number of them.
struct FlatPolygon {
  std::vector<FlatPoint> corners;
  bool contains(FlatPoint p) const;
};

using FlatShape = std::variant<FlatBox, FlatCircle, FlatPolygon>;

inline bool contains(const FlatShape& shape, FlatPoint p) {
  return std::visit([&](const auto& one) { return one.contains(p); }, shape);
}
FlatBox bounds(const FlatShape& shape);

/// What may stand behind the second number.
enum class Beyond : std::uint8_t { kNothing, kAnything };

/// The two numbers that an array or a document begins with. BadValue for what has none, or not just these.
Result<FlatPoint> parse_flat_point(bson::Value value, Beyond beyond);
/// The operands of $box, $center and $polygon. Their parts may stand in an array or in a document.
Result<FlatShape> parse_flat_shape(std::string_view name, bson::View operand);
/// [center, radius]: of $center and of $centerSphere.
Result<FlatCircle> parse_circle(bson::View operand);

}  // namespace partita::query::geo
