// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>

#include "query/updates/update_tree.h"

namespace partita::query {

/// Nodes that come to be while an update is applied: where several paths of an update lead into one element of an array,
/// which the document and the filters decide, it takes a node that has the children of all. Each is made once for a
/// document, however many elements it serves.
class MergedNodes {
 public:
  using PathText = std::function<std::string()>;

  /// All of these in one. ConflictingUpdateOperators, below the path told, where the path of one ends within another's.
  Result<const UpdateNode*> merge(const std::vector<const UpdateNode*>& nodes, const PathText& path);
  /// The node with its "$" as the element of that name, which must live as long as this.
  Result<const UpdateNode*> resolve(const UpdateNode& node, std::string_view element, const PathText& path);

 private:
  /// A node whose children are to be made of those of others.
  struct Work {
    UpdateNode* made;
    std::size_t parent;
    std::vector<const UpdateNode*> of;
  };
  static constexpr std::size_t kNoParent = SIZE_MAX;

  Status run(const PathText& path);
  void make_children(std::size_t parent, std::vector<const UpdateNode*> children);
  Status conflict(std::size_t at, const PathText& path) const;

  std::vector<Work> work_;
  std::vector<std::vector<UpdateNode>> nodes_;
  std::vector<std::vector<std::uint32_t>> places_;
  std::map<std::vector<const UpdateNode*>, const UpdateNode*> merged_;
  std::map<const UpdateNode*, const UpdateNode*> resolved_;
};

}  // namespace partita::query
