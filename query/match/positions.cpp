// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/positions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/match/unnested.h"

namespace partita::query {
namespace {

using Kind = FilterNode::Kind;
using Places = std::vector<std::uint32_t>;

/// Operators in the order in which MongoDB sorts clauses.
std::ptrdiff_t rank_of(const UnnestedClause& clause) {
  constexpr std::string_view kOrder[] = {"$size",       "$eq",           "$lte",        "$lt",           "$gt",
                                         "$gte",        "$regex",        "$mod",        "$exists",       "$in",
                                         "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$not",  "$nor",
                                         "$type"};
  const auto place_of = [&](std::string_view name) { return std::ranges::find(kOrder, name) - std::begin(kOrder); };
  switch (clause.kind) {
    case Kind::kAnd:
      return -4;
    case Kind::kOr:
      return -3;
    case Kind::kElemDocument:
      return -2;
    case Kind::kElemValue:
      return -1;
    case Kind::kNot:
      return place_of("$not");
    case Kind::kNor:
      return place_of("$nor");
    default:
      return place_of(clause.name);
  }
}

/// The order of MongoDB's sort: by operator and path; where these are the same, by the clauses in their order, and then by how
/// many there are.
class AskedBefore {
 public:
  AskedBefore(const FilterTree& filter, const UnnestedFilter& unnested) : filter_(filter), clauses_(unnested.clauses) {}

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    struct Pair {
      std::uint32_t one, other;
      bool by_number;  ///< What they hold has been compared, as far as both hold something.
    };
    if (key_of(a) != key_of(b)) return key_of(a) < key_of(b);
    std::vector<Pair> open{{a, b, false}};
    while (!open.empty()) {
      const Pair now = open.back();
      open.pop_back();
      const std::size_t number = number_in(now.one);
      const std::size_t other_number = number_in(now.other);
      if (now.by_number) {
        if (number != other_number) return number < other_number;
        continue;
      }
      const auto key = key_of(now.one);
      const auto other_key = key_of(now.other);
      if (key != other_key) return key < other_key;
      open.push_back({now.one, now.other, true});
      for (std::size_t i = std::min(number, other_number); i-- > 0;)
        open.push_back({clauses_[now.one].within[i], clauses_[now.other].within[i], false});
    }
    return false;
  }

 private:
  std::size_t number_in(std::uint32_t place) const { return clauses_[place].holds_clauses() ? clauses_[place].within.size() : 0; }
  std::pair<std::ptrdiff_t, std::string_view> key_of(std::uint32_t place) const {
    return {rank_of(clauses_[place]), filter_.nodes[clauses_[place].node].path.text()};
  }

  const FilterTree& filter_;
  const std::vector<UnnestedClause>& clauses_;
};

}  // namespace

std::vector<Turns> turns_of(const FilterTree& filter) {
  std::vector<Turns> turns(filter.nodes.size());
  if (turns.size() == 2) {  // The most common filter, of one clause.
    turns.back() = {.sorted = 0, .written = 0};
    return turns;
  }
  UnnestedFilter unnested = unnest(filter);
  if (unnested.root >= UnnestedFilter::kNever) return turns;
  const bool several = unnested.clauses[unnested.root].kind == Kind::kAnd;
  Places asked = several ? std::move(unnested.clauses[unnested.root].within) : Places{unnested.root};
  const auto turns_at = [&](std::uint32_t place) -> Turns& { return turns[unnested.clauses[place].node]; };
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns_at(asked[turn]).written = static_cast<std::int32_t>(turn);
  const AskedBefore asked_before(filter, unnested);
  for (UnnestedClause& clause : unnested.clauses) {  // Those of $elemMatch, and below.
    if (clause.holds_clauses()) std::ranges::stable_sort(clause.within, asked_before);
  }
  std::ranges::stable_sort(asked, asked_before);
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns_at(asked[turn]).sorted = static_cast<std::int32_t>(turn);
  return turns;
}

}  // namespace partita::query
