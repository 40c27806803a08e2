// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/stages/stage.h"

namespace partita::query {

class LimitPlan : public StagePlan {
 public:
  explicit LimitPlan(std::uint64_t limit) : limit_(limit) {}
  Source open(Source input, Role role) const override;
  Reads reads(FieldSet&) const override { return Reads::kMore; }
  std::uint64_t limit() const { return limit_; }

 private:
  std::uint64_t limit_;
};

class SkipPlan : public StagePlan {
 public:
  explicit SkipPlan(std::uint64_t skip) : skip_(skip) {}
  Source open(Source input, Role role) const override;
  bool lets_pass(const FilterReads&) const override { return skip_ == 0; }
  Reads reads(FieldSet&) const override { return Reads::kMore; }
  std::uint64_t skip() const { return skip_; }

 private:
  std::uint64_t skip_;
};

}  // namespace partita::query
