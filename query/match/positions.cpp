// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/positions.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace partita::query {
namespace {

using Kind = FilterNode::Kind;

/// A choice of one is MongoDB's $eq.
bool is_choice_of_one(const FilterNode& node) {
  if (node.field_operator->bound != Bound::kIn) return false;
  auto at = node.operand.as_document().begin();
  return at != std::default_sentinel && ++at == std::default_sentinel;
}

/// Operators in the order in which MongoDB sorts clauses.
std::ptrdiff_t rank_of(const FilterNode& node) {
  constexpr std::string_view kOrder[] = {"$size",       "$eq",           "$lte",        "$lt",           "$gt",
                                         "$gte",        "$regex",        "$mod",        "$exists",       "$in",
                                         "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$not",  "$nor",
                                         "$type"};
  if (node.kind == Kind::kAnd) return -4;
  if (node.kind == Kind::kOr) return -3;
  if (node.kind == Kind::kElemDocument) return -2;
  if (node.kind == Kind::kElemValue) return -1;
  const auto place_of = [&](std::string_view name) { return std::find(std::begin(kOrder), std::end(kOrder), name) - std::begin(kOrder); };
  if (node.kind == Kind::kNot) return place_of("$not");
  if (node.kind == Kind::kNor) return place_of("$nor");
  if (node.field_operator == nullptr) return 0;
  return place_of(is_choice_of_one(node) ? "$eq" : node.field_operator->name);
}

template <class Test>
std::size_t count_children(const FilterTree& filter, std::size_t i, Test&& test) {
  std::size_t count = 0;
  for (std::size_t child = i + 1; child < filter.nodes[i].end; child = filter.nodes[child].end) count += test(child) ? 1 : 0;
  return count;
}

/// By operator, path and number of clauses; where these are the same, by the clauses in their order.
bool asked_before(const FilterTree& filter, std::size_t a, std::size_t b) {
  const auto any = [](std::size_t) { return true; };
  for (std::size_t end = filter.nodes[a].end; a < end; ++a, ++b) {
    const std::tuple one(rank_of(filter.nodes[a]), filter.nodes[a].path.text(), count_children(filter, a, any));
    const std::tuple other(rank_of(filter.nodes[b]), filter.nodes[b].path.text(), count_children(filter, b, any));
    if (one != other) return one < other;
  }
  return false;
}

/// Which nodes MongoDB drops from an $or, for they hold for nothing: an $all of nothing, and what demands one.
/// Nothing where there is no $or.
std::vector<bool> find_empty(const FilterTree& filter) {
  if (std::ranges::find(filter.nodes, Kind::kOr, &FilterNode::kind) == filter.nodes.end()) return {};
  std::vector<bool> empty(filter.nodes.size());
  for (std::size_t i = filter.nodes.size(); i-- > 0;) {
    const FilterNode& node = filter.nodes[i];
    if (node.kind == Kind::kAnd) empty[i] = count_children(filter, i, [&](std::size_t child) { return empty[child]; }) > 0;
    if (node.kind == Kind::kOr) empty[i] = count_children(filter, i, [&](std::size_t child) { return !empty[child]; }) == 0;
  }
  return empty;
}

}  // namespace

std::vector<Turns> turns_of(const FilterTree& filter) {
  std::vector<Turns> turns(filter.nodes.size());
  const std::vector<bool> empty = find_empty(filter);
  const auto is_empty = [&](std::size_t i) { return !empty.empty() && empty[i]; };
  const auto has_one_choice = [&](std::size_t i) { return count_children(filter, i, [&](std::size_t child) { return !is_empty(child); }) == 1; };
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    if (node.asks() && !is_empty(i)) asked.push_back(i);
    const bool goes_in = !is_empty(i) && (node.kind == Kind::kAnd || (node.kind == Kind::kOr && has_one_choice(i)));
    i = goes_in ? i + 1 : node.end;
  }
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns[asked[turn]].written = static_cast<std::int32_t>(turn);
  auto before = [&](std::size_t a, std::size_t b) { return asked_before(filter, a, b); };
  std::ranges::stable_sort(asked, before);
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns[asked[turn]].sorted = static_cast<std::int32_t>(turn);
  return turns;
}

}  // namespace partita::query
