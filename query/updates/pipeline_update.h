// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/stages/pipeline.h"

namespace partita::query {

/// An update by stages: [{$set: {total: {$add: ["$a", "$b"]}}}, {$unset: "a"}]. Immutable, for any thread.
class PipelineUpdate {
 public:
  /// InvalidOptions for stages that make more or fewer documents of one. `constants` are values of variables, taken as
  /// they are written.
  static Result<PipelineUpdate> parse(bson::View stages, const ExpressionContext& context, bson::View constants);

  /// What is wrong with an array of stages before any of them is looked into: an element that is none, an unknown name.
  static Status check_shape(bson::View stages);

  /// Writes what the stages make of `before`; what becomes of its _id is the caller's matter.
  Status apply(bson::View before, bson::Buffer& after) const;

 private:
  explicit PipelineUpdate(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}
  Pipeline pipeline_;
};

}  // namespace partita::query
