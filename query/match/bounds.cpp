// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/bounds.h"

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

PathBounds bounds_for(const FilterTree& filter, std::string_view path) {
  PathBounds bounds;
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    i = node.kind == Kind::kAnd ? i + 1 : node.end;
    if (node.kind != Kind::kField || node.path.text() != path) continue;
    const bool strict = node.field_operator->bound == Bound::kLess || node.field_operator->bound == Bound::kGreater;
    const Edge edge{node.operand, !strict};
    switch (node.field_operator->bound) {
      case Bound::kNone:
        break;
      case Bound::kEqual:
        if (!bounds.equal) bounds.equal = node.operand;
        break;
      case Bound::kIn:
        if (!bounds.in) bounds.in = node.operand.as_document();
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
