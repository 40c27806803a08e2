// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/value.h"

namespace partita::query::geo {

/// Whether a document's value is a place: a legacy point or GeoJSON. For those who should not see S2's headers.
bool is_geometry(bson::Value value);

}  // namespace partita::query::geo
