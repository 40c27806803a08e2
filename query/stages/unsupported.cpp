// SPDX-License-Identifier: GPL-3.0-or-later
// Stages that exist but are not built: their names answer "not supported" and not "unrecognized".
#include "query/stages/stage.h"

namespace partita::query {
namespace {

using OneStage = RegisterEntry<StageKind>;

/// Drivers look for the word that says whose service it is.
Result<std::unique_ptr<const StagePlan>> refuse_search(const StageArgs& args) {
  return error(Code{31082}, args.name, " is not supported: search indexes are a service of Atlas, which this server is no part of");
}

const OneStage kStages[] = {
    StageKind{.name = "$bucket", .summary = "Groups by ranges of a value."},
    StageKind{.name = "$bucketAuto", .summary = "Groups by ranges of a value that it chooses itself."},
    StageKind{.name = "$changeStream", .summary = "The changes of a collection as they happen."},
    StageKind{.name = "$changeStreamSplitLargeEvent", .summary = "Cuts large changes into pieces."},
    StageKind{.name = "$densify", .summary = "Adds documents where values are missing in a sequence."},
    StageKind{.name = "$facet", .summary = "Several pipelines over the same documents."},
    StageKind{.name = "$fill", .summary = "Gives missing fields values."},
    StageKind{.name = "$graphLookup", .summary = "Follows references from document to document."},
    StageKind{.name = "$listLocalSessions", .summary = "Sessions of this server."},
    StageKind{.name = "$listSearchIndexes",
              .summary = "Indexes of Atlas Search, which do not exist here.",
              .parse = refuse_search,
              .examples = {{"{$listSearchIndexes: {}}", "[{_id: 1}]", "error 31082"}}},
    StageKind{.name = "$listSessions", .summary = "Sessions of the cluster."},
    StageKind{.name = "$lookup", .summary = "Adds documents of another collection."},
    StageKind{.name = "$merge", .summary = "Writes the documents into a collection."},
    StageKind{.name = "$out", .summary = "Puts the documents in the place of a collection."},
    StageKind{.name = "$redact", .summary = "Cuts parts out of documents by a condition."},
    StageKind{.name = "$setWindowFields", .summary = "Computes over the neighbours of each document."},
    StageKind{.name = "$sortByCount", .summary = "Counts documents by a value, the most frequent first."},
    StageKind{.name = "$unionWith", .summary = "Adds the documents of another collection behind these."},
};

}  // namespace
}  // namespace partita::query
