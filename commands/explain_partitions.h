// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/find_run.h"
#include "commands/parallelism.h"
#include "commands/plan.h"

/// What explain tells of a query over a collection that is divided: which partitions it asks and why, and what each of them
/// had to do. Partitions take the place that shards have in the answers of MongoDB's router, whose form tools know.
namespace partita::commands {

/// How it went when a plan was run.
struct RunFigures {
  query::PlanFigures plan;
  std::int64_t answered = 0;
  std::int64_t millis = 0;
  std::vector<LegReport> legs = {};  ///< Of a collection that is divided.
  unsigned threads = 1;
  std::vector<TrialFigures> tried = {};  ///< For Verbosity::kAllPlansExecution.
};

/// Whether explain tells of partitions at all: where the user has divided the collection, or there are several.
bool is_divided(const shards::Collection* collection);

/// "SINGLE_SHARD", "SHARD_MERGE" or "SHARD_MERGE_SORT".
std::string_view merge_stage(const PlanChoice& choice, bool sorts);

/// {targeted: [3, 4], of: 16, by: "range", shardKey, maxDegreeOfParallelism, maxBufferedItemCount}
void write_targets(const PlanChoice& choice, const AskedParallelism& asked, bson::Writer& to);
/// {threads, sort: {totalDataSizeSorted, ...}, each: [{partitions: [3], keysExamined, docsExamined, nReturned, millis}, ...]}
void write_leg_reports(const PlanChoice& choice, const RunFigures& figures, bson::Writer& to);

/// "partition3": in the place of a shard's name.
std::string leg_name(const shards::Collection& collection, const shards::LegSpan& leg);

}  // namespace partita::commands
