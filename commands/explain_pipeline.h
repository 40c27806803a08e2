// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/explain.h"

namespace partita::commands {

/// Explains an aggregation. One that is no more than a $match is explained as a find; any other as a list of `stages`, of
/// which the first, $cursor, is the walk over the collection with the filter that begins the pipeline. On a worker.
struct ExplainedPipeline {
  bson::View stages;
  bson::Value hint;
  AskedParallelism asked;
};
Status explain_pipeline(Operation& operation, const shards::Namespace& ns, const ExplainedPipeline& asked,
                        Verbosity verbosity, bson::Writer& to);

}  // namespace partita::commands
