// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/path/field_lookup.h"
#include "query/updates/field_update.h"

namespace partita::query {

/// What $rename leaves where the field was: nothing.
std::unique_ptr<const FieldUpdate> make_departure();

/// The value that a $rename moves, missing when there is none and so nothing to do. BadValue where either path leads
/// through an array, PathNotViable where a scalar stands on the way to the source.
Result<bson::Value> find_moved(bson::View document, const FieldPath& from, const FieldPath& to, FieldLookup* lookup);

}  // namespace partita::query
