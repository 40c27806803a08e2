// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"

/// What the keys of an index say without the documents.
namespace partita::query {

/// Whether everything that is asked of rows can be read from the keys that this scan walks over.
bool is_covered(const PlanRequest& request, const Plan& scan);

/// Whether every key in the ranges is that of a document that the filter matches.
bool is_exact(const PlanRequest& request, const Plan& scan);

/// The conditions of the filter that can be asked of a key before its document is read, and that the ranges do not settle.
std::vector<const FilterNode*> key_conditions(const PlanRequest& request, const Plan& scan);

/// The conditions of the filter that hold for all that comes out of this scan, by its ranges or because keys have been asked.
std::vector<const FilterNode*> settled_conditions(const PlanRequest& request, const Plan& scan);
/// Whether that is all of the filter.
bool leaves_nothing(const PlanRequest& request, const Plan& scan);

/// A scan that shows each value of a field once: its index has nothing but points before the field, and the ranges say all
/// that the filter does.
std::optional<Plan> distinct_plan(const PlanRequest& request, std::string_view path);

}  // namespace partita::query
