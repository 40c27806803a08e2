// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/path/child_index.h"
#include "query/projection/projection.h"

namespace partita::query {

/// The tree of a projection while it is built: nodes with lists of children, laid out flat at the end.
class ProjectionDraft {
 public:
  static constexpr std::uint32_t kRoot = 0;

  ProjectionDraft() { nodes_.push_back({}); }

  /// Makes the nodes of a dotted path below `node`. Two paths must not end in the same place, nor one lead through where
  /// another ends; an inner node may be met again.
  Result<std::uint32_t> place(std::uint32_t node, std::string_view path, ProjectionNode::Kind last);
  Status place_computed(std::uint32_t node, std::string_view path, ComputedField field);
  Status place_slice(std::uint32_t node, std::string_view path, Slice slice);
  /// The path of the one "a.b.$".
  Status place_positional(std::uint32_t node, std::string_view path);
  /// A top-level node in front of the others.
  void place_first(std::string_view name, ProjectionNode::Kind kind);
  bool has_top_level(std::string_view name) const { return child(kRoot, name).has_value(); }

  ProjectionTree finish(bool keeps_unlisted);

 private:
  struct Node {
    std::string_view name;
    ProjectionNode::Kind kind = ProjectionNode::Kind::kInner;
    std::vector<std::uint32_t> children = {};
    std::uint32_t operand = 0;
    std::size_t depth = 0;
    std::uint32_t parent = 0;
    bool positional = false;
  };

  auto name_of() const {
    return [this](std::uint32_t node) { return nodes_[node].name; };
  }
  void adopt(std::uint32_t node, std::uint32_t made);
  std::optional<std::uint32_t> child(std::uint32_t node, std::string_view name) const;
  std::uint32_t add(std::string_view name, ProjectionNode::Kind kind);

  std::vector<Node> nodes_;
  ChildIndex by_name_;
  std::vector<ComputedField> computed_;
  std::vector<Slice> slices_;
};

}  // namespace partita::query
