// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that exist but are not built: their names answer "not supported" and not "unknown".
#include "query/match/operator.h"

namespace partita::query {
namespace {

using OnDocument = RegisterEntry<FilterOperator>;

const OnDocument kDocumentOperators[] = {
    FilterOperator{.name = "$text", .summary = "Full text search."},
};

}  // namespace
}  // namespace partita::query
