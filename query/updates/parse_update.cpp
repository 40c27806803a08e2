// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include "query/match/operator.h"
#include "query/path/child_index.h"
#include "query/updates/update_tree.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::View;

struct Draft {
  std::string_view name;
  UpdateTree::Leaf* leaf = nullptr;
  std::vector<std::uint32_t> children = {};
};

Status conflict(std::string_view path, std::string_view at) {
  return error(Code::ConflictingUpdateOperators, "Updating the path '", path, "' would create a conflict at '", at, "'");
}

Status check_update_path(const FieldPath& path) {
  if (path.text().empty()) return error(Code::EmptyFieldName, "An empty update path is not valid.");
  if (path.size() > static_cast<std::size_t>(bson::kMaxStoredDepth))
    return error(Code::Overflow, "Document exceeds maximum nesting depth of ", bson::kMaxStoredDepth);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::string_view name = path[i].name;
    if (name.empty())
      return error(Code::EmptyFieldName, "The update path '", path.text(),
                   "' contains an empty field name, which is not allowed.");
    const bool positional = name == "$" || name.starts_with("$[");
    if (positional && i == 0)
      return error(Code::BadValue, "Cannot have positional (i.e. '$') element in the first position in path '",
                   path.text(), "'");
    if (positional) return not_supported("a positional operator in an update's path");
  }
  return {};
}

class Parser {
 public:
  Parser() { drafts_.push_back({}); }

  Status run(View update) {
    for (auto at = update.begin(); at != update.end(); ++at) {
      const UpdateOperator* entry = Registry<UpdateOperator>::find(at->name);
      if (entry == nullptr)
        return error(Code::FailedToParse, "Unknown modifier: ", at->name,
                     ". Expected a valid update modifier or pipeline-style update specified as an array");
      if (!at->value.is_document())
        return error(Code::FailedToParse, "Modifiers operate on fields but we found type ", at->value.type_name(),
                     " instead. For example: {$mod: {<field>: ...}} not {", at->name, ": ", bson::to_shell(at->value),
                     "}");
      const View fields = at->value.as_document();
      for (auto field = fields.begin(); field != fields.end(); ++field) CHECK_OK(add(*entry, *field));
    }
    return {};
  }

  UpdateTree finish() {
    flatten();
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {  // Children stand behind their parents.
      UpdateNode& node = tree_.nodes[i];
      for (const bool inserting : {false, true}) {
        if (node.update != nullptr) node.creates[inserting] = node.update->creates(inserting);
        for (std::uint32_t c = node.first_child; c < node.child_end; ++c)
          node.creates[inserting] |= tree_.nodes[c].creates[inserting];
      }
      if (i > 0 && i < tree_.nodes[0].child_end) note_top_level(node.name);
    }
    return std::move(tree_);
  }

 private:
  auto name_of() const {
    return [this](std::uint32_t draft) { return drafts_[draft].name; };
  }

  void note_top_level(std::string_view name) {
    tree_.touches_id |= name == "_id";
    if (name.starts_with('$')) tree_.dollar_names.push_back(name);
  }

  Status add(const UpdateOperator& entry, const Field& field) {
    auto leaf = std::make_unique<UpdateTree::Leaf>(UpdateTree::Leaf{FieldPath(field.name), nullptr});
    CHECK_OK(check_update_path(leaf->path));
    if (entry.parse == nullptr) return not_supported(entry.name);
    TRY(leaf->update, entry.parse(leaf->path, field.value));
    if (static_cast<int>(leaf->path.size()) + leaf->update->depth() > bson::kMaxStoredDepth)
      return error(Code::Overflow, "Document exceeds maximum nesting depth of ", bson::kMaxStoredDepth);
    CHECK_OK(place(*leaf));
    tree_.leaves.push_back(std::move(leaf));
    return {};
  }

  Status place(UpdateTree::Leaf& leaf) {
    const FieldPath& path = leaf.path;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const bool last = i + 1 == path.size();
      const auto found = by_name_.find(node, drafts_[node].children, path[i].name, name_of());
      if (found && (last || drafts_[*found].leaf != nullptr)) return conflict(path.text(), path.prefix(i + 1));
      if (found) {
        node = *found;
        continue;
      }
      const auto made = static_cast<std::uint32_t>(drafts_.size());
      drafts_.push_back({path[i].name, last ? &leaf : nullptr});
      drafts_[node].children.push_back(made);
      by_name_.note_last(node, drafts_[node].children, name_of());
      node = made;
    }
    return {};
  }

  /// Breadth first, so that the children of one node are neighbours.
  void flatten() {
    auto& nodes = tree_.nodes;
    nodes.push_back({});
    std::vector<std::uint32_t> draft_of{0};
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      nodes[i].first_child = static_cast<std::uint32_t>(nodes.size());
      auto& children = drafts_[draft_of[i]].children;
      std::ranges::sort(children, update_order, name_of());
      for (const std::uint32_t child : children) {
        const Draft& draft = drafts_[child];
        nodes.push_back({.name = draft.name, .index = parse_index(draft.name, false)});
        if (draft.leaf != nullptr) nodes.back().update = draft.leaf->update.get();
        if (draft.leaf != nullptr) nodes.back().path = &draft.leaf->path;
        draft_of.push_back(child);
      }
      nodes[i].child_end = static_cast<std::uint32_t>(nodes.size());
    }
    order_by_index();
  }

  void order_by_index() {
    const auto& nodes = tree_.nodes;
    const auto has_many = [](const UpdateNode& node) { return node.child_end - node.first_child > UpdateTree::kFewChildren; };
    if (std::ranges::none_of(nodes, has_many)) return;
    tree_.by_index.resize(nodes.size());
    std::iota(tree_.by_index.begin(), tree_.by_index.end(), 0);
    for (const UpdateNode& node : nodes) {
      const auto first = tree_.by_index.begin() + node.first_child;
      std::sort(first, tree_.by_index.begin() + node.child_end,
                [&](std::uint32_t a, std::uint32_t b) { return std::pair(nodes[a].index, a) < std::pair(nodes[b].index, b); });
    }
  }

  UpdateTree tree_;
  std::vector<Draft> drafts_;
  ChildIndex by_name_;
};

/// Where a name's first character puts it; among those with a digit in front, the numbers stand first.
int rank(std::string_view name, std::uint32_t index) {
  if (index != PathPart::kNoIndex) return 1;
  if (name.empty() || name[0] < '0') return 0;
  return name[0] <= '9' ? 2 : 3;
}

}  // namespace

bool update_order(std::string_view a, std::string_view b) {
  const std::uint32_t a_index = parse_index(a, false);
  const std::uint32_t b_index = parse_index(b, false);
  const int a_rank = rank(a, a_index);
  const int b_rank = rank(b, b_index);
  if (a_rank != b_rank) return a_rank < b_rank;
  return a_index != b_index ? a_index < b_index : a < b;
}

Result<UpdateTree> parse_update_operators(View update) {
  Parser parser;
  CHECK_OK(parser.run(update));
  return parser.finish();
}

}  // namespace partita::query
