// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/match/operator.h"
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
      auto& children = drafts_[node].children;
      const auto at = std::lower_bound(
          children.begin(), children.end(), path[i].name,
          [&](std::uint32_t child, std::string_view name) { return update_order(drafts_[child].name, name); });
      const bool found = at != children.end() && drafts_[*at].name == path[i].name;
      if (found && (last || drafts_[*at].leaf != nullptr)) return conflict(path.text(), path.prefix(i + 1));
      if (found) {
        node = *at;
        continue;
      }
      const auto made = static_cast<std::uint32_t>(drafts_.size());
      children.insert(at, made);
      drafts_.push_back({path[i].name, last ? &leaf : nullptr});
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
      for (const std::uint32_t child : drafts_[draft_of[i]].children) {
        const Draft& draft = drafts_[child];
        nodes.push_back({.name = draft.name, .index = parse_index(draft.name, false)});
        if (draft.leaf != nullptr) nodes.back().update = draft.leaf->update.get();
        if (draft.leaf != nullptr) nodes.back().path = &draft.leaf->path;
        draft_of.push_back(child);
      }
      nodes[i].child_end = static_cast<std::uint32_t>(nodes.size());
    }
  }

  UpdateTree tree_;
  std::vector<Draft> drafts_;
};

}  // namespace

bool update_order(std::string_view a, std::string_view b) {
  const std::uint32_t a_index = parse_index(a, false);
  const std::uint32_t b_index = parse_index(b, false);
  const bool both = a_index != PathPart::kNoIndex && b_index != PathPart::kNoIndex;
  return both && a_index != b_index ? a_index < b_index : a < b;
}

Result<UpdateTree> parse_update_operators(View update) {
  Parser parser;
  CHECK_OK(parser.run(update));
  return parser.finish();
}

}  // namespace partita::query
