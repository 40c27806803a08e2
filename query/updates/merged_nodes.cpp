// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/merged_nodes.h"

#include <algorithm>

namespace partita::query {
namespace {

/// Whether paths that lead into these nodes can all be followed at once.
bool can_merge(const std::vector<const UpdateNode*>& nodes) {
  const bool choose = nodes[0]->chooses_elements();
  return std::ranges::all_of(
      nodes, [&](const UpdateNode* node) { return node->update == nullptr && node->chooses_elements() == choose; });
}

/// What holds for a node of several.
void take_over(UpdateNode& node, const UpdateNode& other) {
  for (const bool inserting : {false, true}) node.demand[inserting] = std::max(node.demand[inserting], other.demand[inserting]);
  node.reads_source |= other.reads_source;
  node.has_matched |= other.has_matched;
  node.uses_matched |= other.uses_matched;
}

}  // namespace

Result<const UpdateNode*> MergedNodes::merge(const std::vector<const UpdateNode*>& nodes, const PathText& path) {
  const auto [known, is_new] = merged_.try_emplace(nodes, nullptr);
  if (!is_new) return known->second;
  UpdateNode& made = nodes_.emplace_back(1, *nodes[0]).front();
  for (const UpdateNode* other : nodes) take_over(made, *other);
  known->second = &made;
  work_.assign(1, {&made, kNoParent, nodes});
  CHECK_OK(run(path));
  return &made;
}

Result<const UpdateNode*> MergedNodes::resolve(const UpdateNode& node, std::string_view element, const PathText& path) {
  const auto [known, is_new] = resolved_.try_emplace(&node, nullptr);
  if (!is_new) return known->second;
  UpdateNode& made = nodes_.emplace_back(1, node).front();
  made.has_matched = false;
  known->second = &made;
  std::vector<const UpdateNode*> children;
  for (const UpdateNode& child : node.children) {
    children.push_back(&child);
    if (child.kind != UpdateNode::Kind::kMatched) continue;
    UpdateNode& named = nodes_.emplace_back(1, child).front();
    named.kind = UpdateNode::Kind::kName;
    named.name = element;
    named.index = parse_index(element, false);
    children.back() = &named;
  }
  work_.assign(1, {&made, kNoParent, {}});
  make_children(0, std::move(children));
  CHECK_OK(run(path));
  return &made;
}

/// The list grows while it is worked off; what is done stays, to tell the path of what is not.
Status MergedNodes::run(const PathText& path) {
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (work_[i].of.empty()) continue;
    if (!can_merge(work_[i].of)) return conflict(i, path);
    std::vector<const UpdateNode*> children;
    for (const UpdateNode* node : work_[i].of)
      for (const UpdateNode& child : node->children) children.push_back(&child);
    make_children(i, std::move(children));
  }
  return {};
}

/// Those of one name become one.
void MergedNodes::make_children(std::size_t parent, std::vector<const UpdateNode*> children) {
  std::ranges::stable_sort(children, update_order, &UpdateNode::name);
  std::vector<UpdateNode>& made = nodes_.emplace_back();
  made.reserve(children.size());  // Work points into it.
  for (std::size_t i = 0, next = 0; i < children.size(); i = next) {
    made.push_back(*children[i]);
    for (next = i + 1; next < children.size() && children[next]->name == children[i]->name; ++next)
      take_over(made.back(), *children[next]);
    if (next == i + 1) continue;
    work_.push_back({&made.back(), parent,
                     {children.begin() + static_cast<std::ptrdiff_t>(i), children.begin() + static_cast<std::ptrdiff_t>(next)}});
  }
  UpdateNode& node = *work_[parent].made;
  node.children = made;
  node.by_index = nullptr;
  if (made.size() <= UpdateTree::kFewChildren) return;
  node.by_index = places_.emplace_back(made.size()).data();
  order_by_index(made, places_.back().data());
}

Status MergedNodes::conflict(std::size_t at, const PathText& path) const {
  std::string below;
  for (; work_[at].parent != kNoParent; at = work_[at].parent) below = "." + std::string(work_[at].made->name) + below;
  return error(Code::ConflictingUpdateOperators, "Update created a conflict at '", path(), below, "'");
}

}  // namespace partita::query
