// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/geo/covering.h"

#include <s2/s2cell.h>
#include <s2/s2cell_union.h>
#include <s2/s2region_coverer.h>

#include <algorithm>

#include "query/geo/geometry.h"
#include "wire/bson/json.h"

namespace partita::query::geo {
namespace {

/// MongoDB's: of a stored shape, and of what is asked for.
constexpr int kCellsOfShape = 50;
constexpr int kCellsOfQuery = 20;

std::int64_t number(S2CellId cell) { return static_cast<std::int64_t>(cell.id()); }

using Limits = S2RegionCoverer::Options;

Limits limits(const SphereOptions& options, int cells) {
  Limits limits;
  limits.set_max_level(options.finest);
  limits.set_max_cells(cells);
  return limits;
}

std::vector<S2CellId> cover(const S2Region& region, const Limits& limits) {
  std::vector<S2CellId> cells;
  S2RegionCoverer(limits).GetCovering(region, &cells);
  return cells;
}

/// Each part by itself, and where that makes too many cells, these together once more.
std::vector<S2CellId> cover(const SphereShape& shape, const Limits& limits) {
  std::vector<S2CellId> cells;
  for (const S2Point& point : shape.points) cells.push_back(S2CellId(point).parent(limits.max_level()));
  const auto add = [&](const S2Region& region) { std::ranges::copy(cover(region, limits), std::back_inserter(cells)); };
  for (const auto& line : shape.lines) add(*line);
  for (const auto& polygon : shape.polygons) add(*polygon);
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  if (cells.size() <= static_cast<std::size_t>(limits.max_cells())) return cells;
  return cover(S2CellUnion(std::move(cells)), limits);
}

CellRanges ranges_of(const std::vector<S2CellId>& cells, bool only_points) {
  CellRanges ranges;
  for (const S2CellId cell : cells) {
    ranges.push_back({number(cell.range_min()), number(cell.range_max())});
    if (only_points) continue;
    for (int level = cell.level() - 1; level >= 0; --level) {
      const std::int64_t around = number(cell.parent(level));
      ranges.push_back({around, around});
    }
  }
  join_ranges(ranges);
  return ranges;
}

}  // namespace

std::optional<FlatBox> box_of(const S2Cap& cap) {
  const S2LatLngRect rect = cap.GetRectBound();
  if (rect.lng().is_inverted() || rect.lng().is_full()) return std::nullopt;
  return FlatBox{{rect.lng_lo().degrees(), rect.lat_lo().degrees()}, {rect.lng_hi().degrees(), rect.lat_hi().degrees()}};
}

CellRanges sphere_ranges(const S2Region& region, const SphereOptions& options, bool only_points) {
  return ranges_of(cover(region, limits(options, kCellsOfQuery)), only_points);
}

CellRanges sphere_ranges(const S2Region& region, const S2Region& inner, const SphereOptions& options, bool only_points) {
  const Limits cells = limits(options, kCellsOfQuery);
  const S2CellUnion ring = S2RegionCoverer(cells).GetCovering(region).Difference(S2RegionCoverer(cells).GetInteriorCovering(inner));
  return ranges_of(ring.cell_ids(), only_points);
}

CellRanges sphere_ranges(const SphereShape& shape, const SphereOptions& options, bool only_points) {
  return ranges_of(cover(shape, limits(options, kCellsOfQuery)), only_points);
}

Status append_sphere_cells(bson::Value value, const SphereOptions& options, std::vector<std::int64_t>& cells, bool& only_points) {
  TRY(const Geometry geometry, Geometry::parse(value));
  if (geometry.kind != Geometry::Kind::kShape) {
    const auto point = geometry.on_sphere();
    if (!point) return error(Code::BadValue, "can't project geometry into spherical CRS: ", bson::to_shell(value));
    cells.push_back(number(S2CellId(*point).parent(options.version < 3 ? options.finest : SphereOptions::kLevels)));
    return {};
  }
  if (geometry.shape.strict) return error(Code::BadValue, "can't index geometry with strict winding order");
  if (options.version < 2 && !geometry.shape.simple) {
    return error(Code::BadValue, "given geometry can't be indexed in the old index format");
  }
  only_points = false;
  for (const S2CellId cell : cover(geometry.shape, limits(options, kCellsOfShape))) cells.push_back(number(cell));
  return {};
}

}  // namespace partita::query::geo
