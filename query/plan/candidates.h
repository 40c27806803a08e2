// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"

/// What the kinds of candidates have in common.
namespace partita::query {

bool all_points(const std::vector<Interval>& intervals);

/// Whether some name behind the first is a number: it may be a position in an array, and the name of a field.
bool has_position(std::string_view path);

/// Whether an index has all documents that the filter can match, as far as its own filter goes.
bool serves_filter(const IndexDescription& index, const FilterTree& filter);

/// What speaks for a plan: see plan.cpp.
std::uint32_t score(const IndexDescription& index, std::span<const FieldIntervals> narrowed, bool saves_sort);

/// A plan for each path of the filter that a wildcard index has, and whose values the filter narrows down.
std::vector<Plan> wildcard_plans(const PlanRequest& request, std::size_t position);

}  // namespace partita::query
