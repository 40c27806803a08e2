// SPDX-License-Identifier: GPL-3.0-or-later
// The cell at depth d is told by 2d bits, of x and y in turn, from the top. Its points are the numbers that begin with these.
#include <algorithm>
#include <cmath>

#include "query/geo/cells.h"

namespace partita::query::geo {
namespace {

/// More than these make a walk longer by seeks than it becomes shorter by entries.
constexpr std::size_t kMostCells = 128;

/// The bits of a number, apart from one another by one.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

/// All 64 bits may be used: in the order of signed numbers then.
std::int64_t as_signed(std::uint64_t cell, std::int32_t bits) {
  return static_cast<std::int64_t>(bits == GridOptions::kMaxBits ? cell ^ std::uint64_t{1} << 63 : cell);
}

/// Which of the 2^bits columns or rows; the end of the square belongs to the last one.
std::uint64_t place(double value, const GridOptions& options) {
  const double cells = std::ldexp(1.0, options.bits);
  const double scaled = (value - options.min) / (options.max - options.min) * cells;
  return static_cast<std::uint64_t>(std::clamp(scaled, 0.0, cells - 1));
}

/// Which columns and rows a box takes, both ends included.
struct Columns {
  std::uint64_t left, right, bottom, top;
  bool meets(const Columns& other) const {
    return left <= other.right && right >= other.left && bottom <= other.top && top >= other.bottom;
  }
  /// And touches no side.
  bool lies_inside(const Columns& other) const {
    return left > other.left && right < other.right && bottom > other.bottom && top < other.top;
  }
};

Columns columns_of(const FlatBox& box, const GridOptions& options) {
  return {place(box.low.x, options), place(box.high.x, options), place(box.low.y, options), place(box.high.y, options)};
}

/// A cell on its way to being cut, by the columns and rows in it.
struct Cell {
  std::int32_t depth;
  std::uint64_t x;
  std::uint64_t y;
};

}  // namespace

void join_ranges(CellRanges& ranges) {
  std::ranges::sort(ranges, {}, &CellRange::first);
  std::size_t kept = 0;
  for (const CellRange& range : ranges) {
    const bool meets = kept > 0 && (range.first <= ranges[kept - 1].last || range.first == ranges[kept - 1].last + 1);
    if (meets) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

std::optional<std::int64_t> grid_cell(FlatPoint point, const GridOptions& options) {
  const auto inside = [&](double value) { return value >= options.min && value <= options.max; };
  if (!inside(point.x) || !inside(point.y)) return std::nullopt;
  return as_signed(spread(place(point.x, options)) << 1 | spread(place(point.y, options)), options.bits);
}

/// Cells that the box meets are cut, all of one size before the next, until there are enough of them.
CellRanges grid_ranges(const FlatBox& box, const GridOptions& options, const std::optional<FlatBox>& inner) {
  const Columns outer = columns_of(box, options);
  const std::optional<Columns> hole = inner ? std::optional(columns_of(*inner, options)) : std::nullopt;
  std::vector<Cell> cells{{0, 0, 0}};
  const auto meets = [&](const Cell& cell) {
    const std::uint64_t size = std::uint64_t{1} << (options.bits - cell.depth);
    const Columns own{cell.x, cell.x + size - 1, cell.y, cell.y + size - 1};
    return own.meets(outer) && !(hole && own.lies_inside(*hole));
  };
  std::vector<Cell> smaller;
  while (!cells.empty() && cells.front().depth < options.bits) {
    smaller.clear();
    const std::int32_t depth = cells.front().depth + 1;
    const std::uint64_t half = std::uint64_t{1} << (options.bits - depth);
    for (const Cell& cell : cells) {
      for (const auto& [x, y] : {std::pair{cell.x, cell.y}, {cell.x, cell.y + half}, {cell.x + half, cell.y}, {cell.x + half, cell.y + half}}) {
        const Cell quarter{depth, x, y};
        if (meets(quarter)) smaller.push_back(quarter);
      }
    }
    if (smaller.size() > kMostCells) break;
    cells.swap(smaller);
  }
  CellRanges ranges;
  for (const Cell& cell : cells) {
    const std::int32_t below = 2 * (options.bits - cell.depth);
    const std::uint64_t first = spread(cell.x) << 1 | spread(cell.y);
    const std::uint64_t last = first + (below == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << below) - 1);
    ranges.push_back({as_signed(first, options.bits), as_signed(last, options.bits)});
  }
  join_ranges(ranges);
  return ranges;
}

}  // namespace partita::query::geo
