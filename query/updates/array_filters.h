// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "query/match/matcher.h"

namespace partita::query {

/// The filters of a statement's `arrayFilters`: {"grade.mean": {$gt: 5}} says which elements "$[grade]" stands for.
/// Immutable; asked from any thread.
class ArrayFilters {
 public:
  /// Of an array of filters, or of nothing. BadValue for names that are none, FailedToParse for filters without one name
  /// and for two of one name.
  static Result<ArrayFilters> parse(bson::Value filters, const Collation& collation);

  std::optional<std::uint32_t> find(std::string_view name) const;
  std::size_t size() const { return filters_.size(); }
  std::string_view name(std::uint32_t filter) const { return filters_[filter].name; }
  /// Whether an element is one of those. `scratch` and `state` are the caller's, used again and again.
  bool matches(std::uint32_t filter, bson::Value element, bson::Buffer& scratch, MatchState& state) const;
  /// FailedToParse if one of these has not been used.
  Status check_all_used(const std::vector<bool>& used, bson::View update) const;

 private:
  struct One {
    std::string name;
    Matcher matcher;
  };
  Status add(bson::View filter, const Collation& collation);

  std::vector<One> filters_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
};

/// Asks a filter about a value that is no document, as if it were the only field of one.
bool matches_value(const Matcher& matcher, std::string_view name, bson::Value value, bson::Buffer& scratch,
                   MatchState& state);

}  // namespace partita::query
