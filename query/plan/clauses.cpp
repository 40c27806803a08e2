// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/clauses.h"

#include <algorithm>

#include "query/match/regex_match.h"

namespace partita::query {
namespace {

using Kind = FilterNode::Kind;
using Nodes = std::vector<FilterNode>;

/// Beyond that, looking at everything once is better than planning.
constexpr std::size_t kMostClauses = 10'000;
constexpr std::size_t kMostNodes = 100'000;

/// Goes on from a node of the top-level conjunction to the next one: conjunctions are entered.
std::uint32_t step(const Nodes& nodes, std::uint32_t i) { return nodes[i].kind == Kind::kAnd ? i + 1 : nodes[i].end; }

/// Without the predicate, which stays with the filter: a regular expression is known by its source.
FilterNode copy(const FilterNode& node) {
  FilterNode copy{.kind = node.kind, .path = node.path, .field_operator = node.field_operator, .operand = node.operand};
  if (node.predicate != nullptr && node.field_operator != nullptr && node.field_operator->bound == Bound::kRegex) {
    copy.operand = static_cast<const RegexMatch&>(*node.predicate).source();
  }
  return copy;
}

void add(const Nodes& nodes, std::uint32_t from, std::uint32_t end, Nodes& out) {
  const auto at = static_cast<std::uint32_t>(out.size());
  for (std::uint32_t i = from; i < end; ++i) {
    out.push_back(copy(nodes[i]));
    out.back().end = nodes[i].end - from + at;
  }
}

/// The clauses of an $or, and of an $or that is itself a clause, in their order.
std::vector<std::uint32_t> clause_places(const Nodes& nodes, std::uint32_t choice) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = choice + 1; i < nodes[choice].end;) {
    std::uint32_t inner = i;
    while (nodes[inner].kind == Kind::kAnd && inner + 1 < nodes[inner].end && nodes[inner + 1].end == nodes[inner].end) ++inner;
    if (nodes[inner].kind == Kind::kOr) {
      i = inner + 1;
      continue;
    }
    places.push_back(i);
    i = nodes[i].end;
  }
  return places;
}

}  // namespace

std::vector<std::uint32_t> choices_of(const FilterTree& filter) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < filter.nodes.size(); i = step(filter.nodes, i)) {
    if (filter.nodes[i].kind == Kind::kOr) found.push_back(i);
  }
  return found;
}

bool is_choice_alone(const FilterTree& filter) {
  std::uint32_t i = 0;
  while (i < filter.nodes.size() && filter.nodes[i].kind == Kind::kAnd) ++i;
  return i < filter.nodes.size() && filter.nodes[i].kind == Kind::kOr && filter.nodes[i].end == filter.nodes.size();
}

std::vector<std::shared_ptr<const FilterTree>> clauses_of(const FilterTree& filter, std::uint32_t choice) {
  const Nodes& nodes = filter.nodes;
  // Places are known by the predicates that clauses do not have.
  const auto is_place = [](const FilterNode& node) {
    return node.field_operator != nullptr && (node.field_operator->name.starts_with("$geo") || node.field_operator->name.starts_with("$near") || node.field_operator->name == "$within");
  };
  if (filter.near != nullptr || std::ranges::any_of(nodes, is_place)) return {};
  Nodes beside;
  beside.push_back({.kind = Kind::kAnd});
  for (std::uint32_t i = 0; i < nodes.size(); i = step(nodes, i)) {
    if (i != choice && nodes[i].kind != Kind::kAnd) add(nodes, i, nodes[i].end, beside);
  }
  std::vector<std::shared_ptr<const FilterTree>> clauses;
  const std::vector<std::uint32_t> places = clause_places(nodes, choice);
  if (places.size() > kMostClauses || places.size() * beside.size() > kMostNodes) return clauses;
  for (const std::uint32_t place : places) {
    auto clause = std::make_shared<FilterTree>();
    add(beside, 0, static_cast<std::uint32_t>(beside.size()), clause->nodes);
    add(nodes, place, nodes[place].end, clause->nodes);
    clause->nodes.front().end = static_cast<std::uint32_t>(clause->nodes.size());
    clause->collation = filter.collation;
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

}  // namespace partita::query
