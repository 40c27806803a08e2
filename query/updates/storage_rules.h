// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

namespace partita::query {

/// What may be stored as _id: no array, regular expression or undefined, and no name inside it that begins with '$'.
Status check_id(bson::Value id);

/// What an insert demands of a document: a valid _id if there is one, and no more than 180 levels.
/// The size is the caller's matter, whose texts differ.
Status check_storable(bson::View document);

}  // namespace partita::query
