// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/explain.h"

namespace partita::query {

/// Whether the plan walks over a text index for its $text.
bool is_by_text(const Plan& plan, const PlanRequest& planned);
/// Whether somebody asks how well the documents fit.
bool asks_for_score(const ExplainRequest& request);
/// Adds what MongoDB's stage TEXT_MATCH tells beside its figures.
void explain_text_match(const Plan& plan, const PlanRequest& planned, bson::Writer& out);
/// The conditions beside the $text, as far as they stand by themselves; empty: none.
bson::Document beside_text(bson::View filter);

}  // namespace partita::query
