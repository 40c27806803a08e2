// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/explain_access.h"

namespace partita::query {

/// "GEO_NEAR_2DSPHERE" or "GEO_NEAR_2D".
std::string_view near_name(const Telling& telling);
/// Which index serves it and, with figures, ring by ring how far it came: searchIntervals, and a FETCH of an IXSCAN for each.
void write_near(const Telling& telling, bson::Writer& out);
/// What a filter asks beside its $near.
bson::Document beside_near(bson::View filter);

}  // namespace partita::query
