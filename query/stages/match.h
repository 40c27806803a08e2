// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/matcher.h"
#include "query/stages/stage.h"

namespace partita::query {

/// $match; its filter may also become the filter of the scan below: see Pipeline::take_leading_match().
class MatchPlan : public StagePlan {
 public:
  explicit MatchPlan(Matcher matcher) : matcher_(std::move(matcher)) {}
  Source open(Source input, Role role) const override;
  Reads reads(FieldSet& fields) const override;
  const Matcher& matcher() const { return matcher_; }

 private:
  Matcher matcher_;
};

}  // namespace partita::query
