// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/bounds.h"

#include <algorithm>

#include "query/match/regex_match.h"

namespace partita::query {

using Kind = FilterNode::Kind;

std::vector<const FilterNode*> conjuncts(const FilterTree& filter) {
  std::vector<const FilterNode*> found;
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    if (node.is_leaf()) found.push_back(&node);
    i = node.kind == Kind::kAnd ? i + 1 : node.end;
  }
  return found;
}

std::vector<const FilterNode*> ruled_out(const FilterTree& filter, std::string_view path) {
  const std::vector<FilterNode>& nodes = filter.nodes;
  std::vector<const FilterNode*> found;
  for (std::size_t i = 0; i < nodes.size(); i = nodes[i].kind == Kind::kAnd ? i + 1 : nodes[i].end) {
    if (nodes[i].kind != Kind::kNot && nodes[i].kind != Kind::kNor) continue;
    if (nodes[i].kind == Kind::kNot && nodes[i + 1].end != nodes[i].end) continue;  // Of several, one may hold.
    for (std::size_t clause = i + 1; clause < nodes[i].end; clause = nodes[clause].end) {
      std::size_t at = clause;
      while (nodes[at].kind == Kind::kAnd && at + 1 < nodes[at].end && nodes[at + 1].end == nodes[at].end) ++at;
      if (nodes[at].kind == Kind::kField && nodes[at].path.text() == path) found.push_back(&nodes[at]);
    }
  }
  return found;
}

namespace {

void add(const FilterNode& node, PathBounds& bounds) {
  const Bound bound = node.field_operator->bound;
  const bool strict = bound == Bound::kLess || bound == Bound::kGreater;
  const Edge edge{node.operand, !strict};
  switch (bound) {
    case Bound::kNone:
    case Bound::kPlace:  // Of cells, not of values: see query/plan/geo_plan.cpp.
      break;
    case Bound::kEqual:
      if (!bounds.equal) bounds.equal = node.operand;
      break;
    case Bound::kIn:
      if (!bounds.in) bounds.in = node.operand.as_document();
      break;
    case Bound::kRegex:
      // A clause for planning only has no predicate: see plan/clauses.h.
      if (!bounds.regex) bounds.regex = node.predicate == nullptr ? node.operand : static_cast<const RegexMatch&>(*node.predicate).source();
      break;
    case Bound::kLess:
    case Bound::kLessOrEqual:
      if (!bounds.upper) bounds.upper = edge;
      break;
    case Bound::kGreater:
    case Bound::kGreaterOrEqual:
      if (!bounds.lower) bounds.lower = edge;
      break;
  }
}

/// What the conjunction of nodes from `i` on says of a path; of an element itself where the path is empty.
PathBounds bounds_within(const FilterTree& filter, std::size_t i, std::size_t end, std::string_view path) {
  PathBounds bounds;
  for (; i < end; i = filter.nodes[i].kind == Kind::kAnd ? i + 1 : filter.nodes[i].end) {
    const FilterNode& node = filter.nodes[i];
    const bool is_field = node.kind == Kind::kField && node.path.text() == path;
    if (is_field || (node.kind == Kind::kValue && path.empty() && node.field_operator != nullptr)) add(node, bounds);
  }
  return bounds;
}

bool has_position(const FieldPath& path) {
  return std::ranges::any_of(path, [](const PathPart& part) { return part.is_index(); });
}

/// What an $elemMatch says of a path through its array. Of positions it says nothing: an element may be an array, whose
/// elements a filter finds by their numbers, and which has its keys elsewhere; and an array at a position is one key.
PathBounds bounds_of_element(const FilterTree& filter, const FilterNode& node, std::string_view path) {
  const auto i = static_cast<std::size_t>(&node - filter.nodes.data());
  const std::string_view array = node.path.text();
  if (node.kind == Kind::kElemValue && array == path) {
    if (has_position(node.path)) return {};
    PathBounds bounds = bounds_within(filter, i + 1, node.end, "");
    bounds.of_one_value = true;
    return bounds;
  }
  const bool is_behind = path.size() > array.size() && path.starts_with(array) && path[array.size()] == '.';
  if (node.kind != Kind::kElemDocument || !is_behind) return {};
  const std::string_view rest = path.substr(array.size() + 1);
  if (has_position(FieldPath(rest))) return {};
  PathBounds bounds = bounds_within(filter, i + 1, node.end, rest);
  bounds.element = &node;
  return bounds;
}

}  // namespace

PathBounds bounds_for(const FilterTree& filter, std::string_view path, const FilterNode* element) {
  const std::vector<FilterNode>& nodes = filter.nodes;
  PathBounds bounds = element != nullptr ? bounds_of_element(filter, *element, path) : PathBounds();
  if (bounds.any()) return bounds;
  bounds = bounds_within(filter, 0, nodes.size(), path);
  for (std::size_t i = 0; i < nodes.size() && !bounds.any(); i = nodes[i].kind == Kind::kAnd ? i + 1 : nodes[i].end)
    if (nodes[i].is_elem()) bounds = bounds_of_element(filter, nodes[i], path);
  return bounds;
}

std::optional<bson::Value> sole_equality(const FilterTree& filter, std::string_view path) {
  constexpr std::size_t kRoot = 1;  // The conjunction that every filter begins with, {a: {$eq: 1}} has one more.
  const FilterNode& last = filter.nodes.back();
  if (filter.nodes.size() > kRoot + 2 || last.kind != Kind::kField || last.path.text() != path) return std::nullopt;
  if (filter.nodes.size() == kRoot + 2 && filter.nodes[kRoot].kind != Kind::kAnd) return std::nullopt;
  if (last.field_operator->bound != Bound::kEqual) return std::nullopt;
  return last.operand;
}

}  // namespace partita::query
