// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/geo/flat.h"

/// Places as numbers: both kinds of index cut their space into cells, each into four smaller ones, along a line that goes
/// through all of them. What lies in a cell is a stretch of that line, and a shape is a few stretches.
namespace partita::query::geo {

/// Numbers from `first` to `last`, both included.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const CellRange&) const = default;
};
using CellRanges = std::vector<CellRange>;

/// Puts them in order; those that meet become one.
void join_ranges(CellRanges& ranges);

/// What a 2dsphere index was made with.
struct SphereOptions {
  std::int32_t version = 3;
  std::int32_t coarsest = 0;  ///< Shown again. Nothing is cut smaller than it is for its sake: continents would be millions of cells.
  std::int32_t finest = 23;   ///< Level of S2's cells, below which none of a shape lies.
  static constexpr std::int32_t kLevels = 30;
};

/// The cells of a geometry, as signed numbers: a point's own, or up to some that cover a shape. Since version 3 a point's is
/// the smallest there is. BadValue, with MongoDB's words, for what the index does not take. `only_points` becomes false
/// when some cell is not of the kind that points have.
Status append_sphere_cells(bson::Value geometry, const SphereOptions& options, std::vector<std::int64_t>& cells, bool& only_points);

/// What a 2d index was made with: a square, halved along both axes `bits` times.
struct GridOptions {
  double min = -180;
  double max = 180;
  std::int32_t bits = 26;
  static constexpr std::int32_t kMaxBits = 32;
};

/// The cell of a point, with the bits of x and y taken in turn. Nullopt outside of the square.
std::optional<std::int64_t> grid_cell(FlatPoint point, const GridOptions& options);
/// The cells that a box meets, but for those that lie within `inner`, in no more than about a hundred stretches.
CellRanges grid_ranges(const FlatBox& box, const GridOptions& options, const std::optional<FlatBox>& inner = std::nullopt);

}  // namespace partita::query::geo
