// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/projection_draft.h"

#include <algorithm>
#include <numeric>

#include "query/path/path_rules.h"

namespace partita::query {

using Kind = ProjectionNode::Kind;

Result<std::uint32_t> ProjectionDraft::place(std::uint32_t node, std::string_view path, Kind last) {
  std::string_view left = path;
  while (true) {
    const std::size_t dot = left.find('.');
    const bool ends = dot == std::string_view::npos;
    const std::string_view name = left.substr(0, dot);
    const auto found = child(node, name);
    if (!found) {
      const std::size_t depth = nodes_[node].depth + 1;
      if (depth > kMaxPathParts) return error(Code::Overflow, "FieldPath is too long");
      const std::uint32_t made = add(name, ends ? last : Kind::kInner);
      nodes_[made].depth = depth;
      adopt(node, made);
      node = made;
    } else if (nodes_[*found].kind != Kind::kInner && !ends) {
      return error(Code{31249}, "Path collision at ", path, " remaining portion ", path.substr(path.find('.') + 1));
    } else if (ends && (last != Kind::kInner || nodes_[*found].kind != Kind::kInner)) {
      return error(Code{31250}, "Path collision at ", path);
    } else {
      node = *found;
    }
    if (ends) return node;
    left.remove_prefix(dot + 1);
  }
}

Status ProjectionDraft::place_computed(std::uint32_t node, std::string_view path, ComputedField field) {
  TRY(const std::uint32_t leaf, place(node, path, Kind::kComputed));
  nodes_[leaf].operand = static_cast<std::uint32_t>(computed_.size());
  computed_.push_back(std::move(field));
  return {};
}

Status ProjectionDraft::place_slice(std::uint32_t node, std::string_view path, Slice slice) {
  TRY(const std::uint32_t leaf, place(node, path, Kind::kSlice));
  nodes_[leaf].operand = static_cast<std::uint32_t>(slices_.size());
  slices_.push_back(slice);
  return {};
}

Status ProjectionDraft::place_positional(std::uint32_t node, std::string_view path) {
  TRY(std::uint32_t at, place(node, path, Kind::kKeep));
  for (; at != kRoot; at = nodes_[at].parent) nodes_[at].positional = true;
  nodes_[kRoot].positional = true;
  return {};
}

void ProjectionDraft::place_first(std::string_view name, Kind kind) {
  const std::uint32_t made = add(name, kind);
  adopt(kRoot, made);
  auto& children = nodes_[kRoot].children;
  std::rotate(children.begin(), children.end() - 1, children.end());
}

void ProjectionDraft::adopt(std::uint32_t node, std::uint32_t made) {
  nodes_[made].parent = node;
  nodes_[node].children.push_back(made);
  by_name_.note_last(node, nodes_[node].children, name_of());
}

std::optional<std::uint32_t> ProjectionDraft::child(std::uint32_t node, std::string_view name) const {
  return by_name_.find(node, nodes_[node].children, name, name_of());
}

std::uint32_t ProjectionDraft::add(std::string_view name, Kind kind) {
  nodes_.push_back({name, kind});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

namespace {

/// Where a node has many children, sorts them by name.
void order_children(ProjectionTree& tree) {
  for (const ProjectionNode& node : tree.nodes) {
    if (node.child_end - node.first_child < ProjectionTree::kManyChildren) continue;
    if (tree.by_name.empty()) tree.by_name.resize(tree.nodes.size());
    const auto first = tree.by_name.begin() + node.first_child;
    const auto last = tree.by_name.begin() + node.child_end;
    std::iota(first, last, node.first_child);
    std::sort(first, last, [&](std::uint32_t a, std::uint32_t b) { return tree.nodes[a].name < tree.nodes[b].name; });
  }
}

}  // namespace

/// Breadth first, so that the children of one node are neighbours and stand behind it.
ProjectionTree ProjectionDraft::finish(bool keeps_unlisted) {
  ProjectionTree tree{{{}}, std::move(computed_), std::move(slices_), keeps_unlisted};
  tree.nodes[0].positional = nodes_[kRoot].positional;
  std::vector<std::uint32_t> draft_of{kRoot};
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    tree.nodes[i].first_child = static_cast<std::uint32_t>(tree.nodes.size());
    for (const std::uint32_t child : nodes_[draft_of[i]].children) {
      const Node& node = nodes_[child];
      tree.nodes.push_back(
          {.name = node.name, .kind = node.kind, .positional = node.positional, .operand = node.operand});
      draft_of.push_back(child);
    }
    tree.nodes[i].child_end = static_cast<std::uint32_t>(tree.nodes.size());
  }
  order_children(tree);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    ProjectionNode& node = tree.nodes[i];
    node.computes = node.kind == Kind::kComputed;
    for (std::uint32_t c = node.first_child; c < node.child_end; ++c) node.computes |= tree.nodes[c].computes;
  }
  return tree;
}

}  // namespace partita::query
