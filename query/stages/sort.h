// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/sort/sort_spec.h"
#include "query/stages/stage.h"

namespace partita::query {

/// $sort. With a limit only the first rows are kept while sorting: Pipeline finds the $limit behind it.
class SortPlan : public StagePlan {
 public:
  explicit SortPlan(SortSpec spec, std::uint64_t limit = 0) : spec_(std::move(spec)), limit_(limit) {}
  Source open(Source input, Role role) const override;
  Reads reads(FieldSet& fields) const override;
  bool lets_pass(const FilterReads&) const override { return limit_ == 0; }
  const SortSpec& spec() const { return spec_; }
  std::uint64_t limit() const { return limit_; }

 private:
  SortSpec spec_;
  std::uint64_t limit_;
};

}  // namespace partita::query
