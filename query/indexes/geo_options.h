// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/geo/cells.h"

namespace partita::query {

/// How an index of places was made: one of the two, as its fields' KeyForm tells.
struct GeoIndexOptions {
  geo::SphereOptions sphere = {};
  geo::GridOptions grid = {};
};

}  // namespace partita::query
