// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that exist but are not built: their names answer "not supported" and not "unknown".
#include "query/match/operator.h"

namespace partita::query {
namespace {

using OnField = RegisterEntry<MatchOperator>;
using OnDocument = RegisterEntry<FilterOperator>;

const OnField kFieldOperators[] = {
    MatchOperator{.name = "$all", .summary = "Every operand equals the value or an element of it."},
    MatchOperator{.name = "$bitsAllClear", .summary = "All of these bits are 0."},
    MatchOperator{.name = "$bitsAllSet", .summary = "All of these bits are 1."},
    MatchOperator{.name = "$bitsAnyClear", .summary = "One of these bits is 0."},
    MatchOperator{.name = "$bitsAnySet", .summary = "One of these bits is 1."},
    MatchOperator{.name = "$elemMatch", .summary = "One element satisfies all of these conditions."},
    MatchOperator{.name = "$geoIntersects", .summary = "The shapes have a point in common."},
    MatchOperator{.name = "$geoWithin", .summary = "The shape lies within another."},
    MatchOperator{.name = "$mod", .summary = "Divided by this, it leaves that remainder."},
    MatchOperator{.name = "$near", .summary = "Ordered by distance from a point."},
    MatchOperator{.name = "$nearSphere", .summary = "Ordered by distance on a sphere."},
    MatchOperator{.name = "$options", .summary = "How $regex compares."},
    MatchOperator{.name = "$regex", .summary = "The text matches a regular expression."},
    MatchOperator{.name = "$size", .summary = "The array has this many elements."},
    MatchOperator{.name = "$type", .summary = "The value is of one of these types."},
};

const OnDocument kDocumentOperators[] = {
    FilterOperator{.name = "$jsonSchema", .summary = "The document satisfies a JSON schema."},
    FilterOperator{.name = "$sampleRate", .summary = "Holds for a random share of the documents."},
    FilterOperator{.name = "$text", .summary = "Full text search."},
    FilterOperator{.name = "$where", .summary = "JavaScript, which this server does not run."},
};

}  // namespace
}  // namespace partita::query
