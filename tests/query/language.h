// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace partita::test {

/// Runs one command of the language without a server and prints its answer:
///
///     match {filter} on {document}            true or false
///     place {filter} on {document}            which element of an array it found, or missing
///     project {projection} on {document}      the document
///     update {update} on {document}           the document after; "unchanged" when nothing was written
///     change {statement} on {document}        the same for {q: filter, u: update, arrayFilters: ...} as the update command has
///                                             it; "unmatched" when the filter does not match
///     upsert {update} where {filter}          the document inserted; its _id is all zeros when it is a fresh one
///     evaluate {expression} on {document}     the value, or missing
///     aggregate [stages] on [documents]       the documents that come out, as one array
///     split [stages] on [[documents]...]      the same, over several partitions
///     plan {filter: f, sort: s} over [indexes]  the plan chosen, as dump() words it; NO PLAN. An index is its key pattern, with
///                                             $unique, $sparse, $multikey, $arrays or $clustered beside the fields
///
/// Documents are printed as JSON on one line; failures as "error BadValue (2)", or "error 31249" for a code without name.
std::string run_language(std::string_view command);

/// Makes one spelling of an answer that people write: quotes, blanks, and the form of JSON do not matter, types do.
std::string normalize_answer(std::string_view answer);

}  // namespace partita::test
