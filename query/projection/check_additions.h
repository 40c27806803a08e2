// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

namespace partita::query {

/// What $addFields demands of its specification as a whole, before any expression in it is looked at: no empty objects, no
/// dotted names but at the top, operators alone in their objects, and no path that is another one or leads on from it.
Status check_additions(bson::View spec);

}  // namespace partita::query
