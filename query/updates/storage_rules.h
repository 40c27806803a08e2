// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

namespace partita::query {

/// How deep what is written may be nested, itself counted, by bson::field_depth(): one more is there when the innermost is empty,
/// see bson::kMaxStoredDepth.
constexpr int kMostLevels = 180;
/// Whether it lies deeper than that. A short one cannot, and is not looked at.
bool nests_too_deep(bson::View document);

/// What may be stored as _id: no array, regular expression or undefined, and no name inside it that begins with '$' but those
/// of a database reference.
Status check_id(bson::Value id);

/// What an insert demands of a document: a valid _id if there is one, and no more than kMostLevels.
/// The size is the caller's matter, whose texts differ.
Status check_storable(bson::View document);

}  // namespace partita::query
