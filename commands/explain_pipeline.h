// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/explain.h"

namespace partita::commands {

/// Explains an aggregation, by running it as the command would. One that is no more than a $match is explained as a find; any
/// other as a list of `stages`, of which the first, $cursor, is the walk over the collection with the filter that begins the
/// pipeline. Over a collection that is divided the answer is that of MongoDB's router: `splitPipeline`, and such a list for
/// each partition in `shards`. On a worker.
struct ExplainedPipeline {
  bson::View stages;
  bson::Value hint;
  AskedParallelism asked;
  const query::ExpressionContext& context;
};
Status explain_pipeline(Operation& operation, const shards::Namespace& ns, const ExplainedPipeline& asked,
                        Verbosity verbosity, bson::Writer& to);

}  // namespace partita::commands
