// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/matcher.h"

namespace partita::commands {

/// Which operations of a database are worth a place, in the log as in its system.profile: a filter over the documents that
/// the profiler makes of them. Immutable.
class ProfileFilter {
 public:
  /// Fails too where it asks for a field that no such document has.
  static Result<ProfileFilter> parse(bson::View filter);

  /// A failure of an expression in it is a no.
  bool matches(bson::View profiled) const { return matcher_.matches(profiled); }
  /// As it was given.
  bson::View filter() const { return matcher_.tree().filter.view(); }

 private:
  explicit ProfileFilter(query::Matcher matcher) : matcher_(std::move(matcher)) {}

  query::Matcher matcher_;
};

}  // namespace partita::commands
