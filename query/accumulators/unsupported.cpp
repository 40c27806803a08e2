// SPDX-License-Identifier: GPL-3.0-or-later
// Accumulators that exist but are not built: their names answer "not supported" and not "unknown".
#include "query/accumulators/accumulator.h"

namespace partita::query {
namespace {

const RegisterEntry<Accumulator> kAccumulators[] = {
    Accumulator{.name = "$accumulator", .summary = "Runs JavaScript, which this server does not."},
    Accumulator{.name = "$bottom", .summary = "What the last document of an order has."},
    Accumulator{.name = "$bottomN", .summary = "What the last documents of an order have."},
    Accumulator{.name = "$firstN", .summary = "The first values."},
    Accumulator{.name = "$lastN", .summary = "The last values."},
    Accumulator{.name = "$maxN", .summary = "The greatest values."},
    Accumulator{.name = "$median", .summary = "The value in the middle, about."},
    Accumulator{.name = "$mergeObjects", .summary = "One document of the fields of all."},
    Accumulator{.name = "$minN", .summary = "The least values."},
    Accumulator{.name = "$percentile", .summary = "Values below which so many lie, about."},
    Accumulator{.name = "$stdDevPop", .summary = "How far values lie from their mean."},
    Accumulator{.name = "$stdDevSamp", .summary = "The same, guessed from a sample."},
    Accumulator{.name = "$top", .summary = "What the first document of an order has."},
    Accumulator{.name = "$topN", .summary = "What the first documents of an order have."},
};

}  // namespace
}  // namespace partita::query
