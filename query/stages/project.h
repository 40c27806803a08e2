// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/projection/projection.h"
#include "query/stages/stage.h"

namespace partita::query {

/// $project, $addFields, $set and $unset: each row becomes another one.
class ProjectPlan : public StagePlan {
 public:
  explicit ProjectPlan(Projection projection) : projection_(std::move(projection)) {}
  Source open(Source input, Role role) const override;
  Reads reads(FieldSet& fields) const override;
  bool lets_pass(const FilterReads& filter) const override;

 private:
  Projection projection_;
};

}  // namespace partita::query
