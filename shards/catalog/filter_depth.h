// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

namespace partita::shards {

/// Refuses a partial index's filter whose clauses stand deeper than MongoDB takes them: of new indexes, those that are there
/// stay. Several clauses of one object are a conjunction of their own.
Status check_filter_depth(bson::View filter);

}  // namespace partita::shards
