// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/updates/pipeline_update.h"
#include "query/updates/update_tree.h"

namespace partita::query {

struct UpdateOutcome {
  /// False: nothing changed, `after` holds nothing worth storing, and the reply counts no modification.
  bool modified = false;
};

/// What stands beside an update in its statement.
struct UpdateOptions {
  bson::Value array_filters = {};  ///< An array, or missing.
  bson::View constants = {};       ///< Variables of a pipeline, whose values are no expressions.
  const ExpressionContext* expressions = nullptr;  ///< What surrounds the expressions of a pipeline; by its collation all compares.
};

/// An update, compiled: parsed once per request, applied to each document. A replacement, a tree of operators, or a pipeline.
/// Immutable, so many threads may share one.
class Update {
 public:
  /// Copies what it needs out of `update`: a document, of operators if its first name begins with '$', or an array of stages.
  static Result<Update> parse(bson::Value update, const UpdateOptions& options = {});

  /// Writes what `before` becomes into `after`, whose old contents are dropped. One pass: what does not change is copied
  /// in ranges. Fails as MongoDB does, and then `after` means nothing. _id stays what it was, if there was one.
  Result<UpdateOutcome> apply(bson::View before, bson::Buffer& after, const UpdateContext& context = {}) const {
    return run(before, after, context, false);
  }
  /// The same for a document about to be inserted, which $setOnInsert applies to.
  Result<UpdateOutcome> apply_on_insert(bson::View before, bson::Buffer& after, const UpdateContext& context = {}) const {
    return run(before, after, context, true);
  }

  bool is_replacement() const { return is_replacement_; }
  /// Whether it has paths with "$", and uses the element of the UpdateContext.
  bool uses_matched() const { return !tree_.nodes.empty() && tree_.nodes[0].uses_matched; }
  /// Whether it uses the times of the UpdateContext.
  bool reads_clock() const { return reads_clock_; }
  /// The top-level names that operators write to or remove; for a replacement and a pipeline there is no telling.
  std::vector<std::string_view> touched_fields() const;

 private:
  Result<UpdateOutcome> run(bson::View before, bson::Buffer& after, const UpdateContext& context, bool inserting) const;
  Result<UpdateOutcome> run_pipeline(bson::View before, bson::Buffer& after) const;

  bson::Document source_;  // Operands and the replacement point into it.
  Collation collation_;    // Operators point to it.
  UpdateTree tree_;
  std::optional<PipelineUpdate> pipeline_;
  bool is_replacement_ = false;
  bool reads_clock_ = false;
};

}  // namespace partita::query
