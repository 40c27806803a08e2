// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/positions.h"

#include <algorithm>
#include <iterator>

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
                                         "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$type"};
  if (node.kind == Kind::kElemDocument) return -2;
  if (node.kind == Kind::kElemValue) return -1;
  if (node.field_operator == nullptr) return 0;
  const std::string_view name = is_choice_of_one(node) ? "$eq" : node.field_operator->name;
  return std::find(std::begin(kOrder), std::end(kOrder), name) - std::begin(kOrder);
}

bool asked_before(const FilterNode& a, const FilterNode& b) {
  const std::ptrdiff_t rank = rank_of(a);
  const std::ptrdiff_t other = rank_of(b);
  return rank != other ? rank < other : a.path.text() < b.path.text();
}

template <class Test>
std::size_t count_children(const FilterTree& filter, std::size_t i, Test&& test) {
  std::size_t count = 0;
  for (std::size_t child = i + 1; child < filter.nodes[i].end; child = filter.nodes[child].end) count += test(child) ? 1 : 0;
  return count;
}

/// Which nodes hold for nothing, as is seen without a document: a choice of none, and what demands one. MongoDB drops them
/// from an $or.
std::vector<bool> find_empty(const FilterTree& filter) {
  std::vector<bool> empty(filter.nodes.size());
  if (std::ranges::find(filter.nodes, Kind::kOr, &FilterNode::kind) == filter.nodes.end()) return empty;  // Then nothing turns on it.
  for (std::size_t i = filter.nodes.size(); i-- > 0;) {
    const FilterNode& node = filter.nodes[i];
    if (node.kind == Kind::kField) empty[i] = node.field_operator->bound == Bound::kIn && node.operand.as_document().empty();
    if (node.kind == Kind::kAnd) empty[i] = count_children(filter, i, [&](std::size_t child) { return empty[child]; }) > 0;
    if (node.kind == Kind::kOr) empty[i] = count_children(filter, i, [&](std::size_t child) { return !empty[child]; }) == 0;
  }
  return empty;
}

}  // namespace

std::vector<std::int32_t> turns_of(const FilterTree& filter) {
  std::vector<std::int32_t> turns(filter.nodes.size(), kNoTurn);
  const std::vector<bool> empty = find_empty(filter);
  const auto has_one_choice = [&](std::size_t i) { return count_children(filter, i, [&](std::size_t child) { return !empty[child]; }) == 1; };
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    if (!node.is_logical() && !empty[i]) asked.push_back(i);
    const bool goes_in = !empty[i] && (node.kind == Kind::kAnd || (node.kind == Kind::kOr && has_one_choice(i)));
    i = goes_in ? i + 1 : node.end;
  }
  auto before = [&](std::size_t a, std::size_t b) { return asked_before(filter.nodes[a], filter.nodes[b]); };
  std::ranges::stable_sort(asked, before);
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns[asked[turn]] = static_cast<std::int32_t>(turn);
  return turns;
}

}  // namespace partita::query
