// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that exist but are not built: their names answer "not supported" and not "unknown".
#include "query/match/operator.h"

namespace partita::query {
namespace {

using OnField = RegisterEntry<MatchOperator>;
using OnDocument = RegisterEntry<FilterOperator>;

const OnField kFieldOperators[] = {
    MatchOperator{.name = "$geoIntersects", .summary = "The shapes have a point in common."},
    MatchOperator{.name = "$geoWithin", .summary = "The shape lies within another."},
    MatchOperator{.name = "$near", .summary = "Ordered by distance from a point."},
    MatchOperator{.name = "$nearSphere", .summary = "Ordered by distance on a sphere."},
};

const OnDocument kDocumentOperators[] = {
    FilterOperator{.name = "$text", .summary = "Full text search."},
};

}  // namespace
}  // namespace partita::query
