// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/matcher.h"
#include "query/updates/update.h"

namespace partita::query {

/// QueryFeatureNotAllowed where it asks about whole documents ($expr), whether it finds one or not.
Status check_upsert_filter(const FilterTree& filter);

/// The document that an upsert inserts when `filter` found none: the equalities of the filter, the update applied to
/// them as on insert, _id in front. `fresh_id` serves when neither filter nor update gives one.
/// Fails with NotSingleValueField when the filter says two things about one field.
Result<bson::Document> make_upsert(const FilterTree& filter, const Update& update, bson::ObjectId fresh_id,
                                   const UpdateContext& context = {});

}  // namespace partita::query
