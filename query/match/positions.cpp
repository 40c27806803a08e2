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

bool has_one_child(const FilterTree& filter, std::size_t i) {
  return i + 1 < filter.nodes[i].end && filter.nodes[i + 1].end == filter.nodes[i].end;
}

}  // namespace

std::vector<std::int32_t> turns_of(const FilterTree& filter) {
  std::vector<std::int32_t> turns(filter.nodes.size(), kNoTurn);
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    if (!node.is_logical()) asked.push_back(i);
    const bool goes_in = node.kind == Kind::kAnd || (node.kind == Kind::kOr && has_one_child(filter, i));
    i = goes_in ? i + 1 : node.end;
  }
  auto before = [&](std::size_t a, std::size_t b) { return asked_before(filter.nodes[a], filter.nodes[b]); };
  std::ranges::stable_sort(asked, before);
  for (std::size_t turn = 0; turn < asked.size(); ++turn) turns[asked[turn]] = static_cast<std::int32_t>(turn);
  return turns;
}

}  // namespace partita::query
