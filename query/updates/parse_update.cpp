// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include "query/match/operator.h"
#include "query/path/child_index.h"
#include "query/updates/rename.h"
#include "query/updates/storage_rules.h"
#include "query/updates/update_path.h"
#include "query/updates/update_tree.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::View;

struct Draft {
  std::string_view name;
  UpdateTree::Leaf* leaf = nullptr;
  bool chooses_elements = false;  ///< Its children are "$[]" and "$[name]".
  std::vector<std::uint32_t> children = {};
};

Status conflict(std::string_view path, std::string_view at) {
  return error(Code::ConflictingUpdateOperators, "Updating the path '", path, "' would create a conflict at '", at, "'");
}

class Parser {
 public:
  Parser(ArrayFilters filters, const Collation& collation) : collation_(collation) {
    tree_.filters = std::move(filters);
    used_.resize(tree_.filters.size());
    drafts_.push_back({});
  }

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
    return tree_.filters.check_all_used(used_, update);
  }

  UpdateTree finish() {
    flatten();
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) sum_up(tree_.nodes[i]);  // Children stand behind their parents.
    for (const UpdateNode& top : tree_.nodes[0].children) note_top_level(top.name);
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

  /// What is known of a node from its children. An array whose elements are to be changed must be there.
  static void sum_up(UpdateNode& node) {
    for (const bool inserting : {false, true}) {
      if (node.update != nullptr) node.demand[inserting] = node.update->demand(inserting);
      if (node.chooses_elements()) node.demand[inserting] = Demand::kCreation;
      for (const UpdateNode& child : node.children)
        node.demand[inserting] = std::max(node.demand[inserting], child.demand[inserting]);
    }
    node.reads_source |= node.source != UpdateNode::kNone;
    for (const UpdateNode& child : node.children) {
      node.reads_source |= child.reads_source;
      node.has_matched |= child.kind == UpdateNode::Kind::kMatched;
      node.uses_matched |= node.has_matched || child.uses_matched;
    }
  }

  Status add(const UpdateOperator& entry, const Field& field) {
    if (entry.parse == nullptr) return not_supported(entry.name);
    if (entry.moves) return add_move(entry, field);
    tree_.reads_clock |= entry.reads_clock;
    auto leaf = std::make_unique<UpdateTree::Leaf>(UpdateTree::Leaf{FieldPath(field.name), nullptr});
    CHECK_OK(check_update_path(leaf->path));
    TRY(leaf->update, entry.parse(leaf->path, field.value, collation_));
    return add(std::move(leaf));
  }

  Status add_move(const UpdateOperator& entry, const Field& field) {
    auto from = std::make_unique<UpdateTree::Leaf>(UpdateTree::Leaf{FieldPath(field.name), make_departure()});
    CHECK_OK(check_update_path(from->path));
    for (std::size_t i = 0; i < from->path.size(); ++i) CHECK_OK(note_use(from->path, i));
    if (field.value.is_string()) CHECK_OK(check_update_path(FieldPath(field.value.as_string())));
    TRY(auto arrival, entry.parse(from->path, field.value, collation_));
    auto to = std::make_unique<UpdateTree::Leaf>(UpdateTree::Leaf{FieldPath(field.value.as_string()), std::move(arrival)});
    to->source = static_cast<std::uint32_t>(tree_.sources.size());
    tree_.sources.push_back({&from->path, &to->path});
    CHECK_OK(add(std::move(to)));
    return add(std::move(from));
  }

  Status add(std::unique_ptr<UpdateTree::Leaf> leaf) {
    const bool creates = leaf->update->demand(false) == Demand::kCreation;
    if (creates && static_cast<int>(leaf->path.size()) + leaf->update->depth() > kMostLevels)
      return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
    CHECK_OK(place(*leaf));
    tree_.leaves.push_back(std::move(leaf));
    return {};
  }

  Status place(UpdateTree::Leaf& leaf) {
    const FieldPath& path = leaf.path;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const bool last = i + 1 == path.size();
      CHECK_OK(note_use(path, i));
      const bool chooses = !last && chosen_elements(path[i + 1].name);
      const auto found = by_name_.find(node, drafts_[node].children, path[i].name, name_of());
      if (found && (last || drafts_[*found].leaf != nullptr || drafts_[*found].chooses_elements != chooses))
        return conflict(path.text(), path.prefix(i + 1));
      if (found) {
        node = *found;
        continue;
      }
      const auto made = static_cast<std::uint32_t>(drafts_.size());
      drafts_.push_back({path[i].name, last ? &leaf : nullptr, chooses});
      drafts_[node].children.push_back(made);
      by_name_.note_last(node, drafts_[node].children, name_of());
      node = made;
    }
    return {};
  }

  /// A "$[name]" uses the filter of that name.
  Status note_use(const FieldPath& path, std::size_t part) {
    const auto name = chosen_elements(path[part].name);
    if (!name || name->empty()) return {};
    const auto filter = tree_.filters.find(*name);
    if (!filter)
      return error(Code::BadValue, "No array filter found for identifier '", *name, "' in path '", path.text(), "'");
    used_[*filter] = true;
    return {};
  }

  UpdateNode node_of(const Draft& draft) const {
    UpdateNode node{.name = draft.name, .index = parse_index(draft.name, false)};
    if (draft.name == kMatchedElement) node.kind = UpdateNode::Kind::kMatched;
    if (const auto name = chosen_elements(draft.name)) {
      node.kind = name->empty() ? UpdateNode::Kind::kEach : UpdateNode::Kind::kFiltered;
      if (!name->empty()) node.filter = *tree_.filters.find(*name);
    }
    if (draft.leaf == nullptr) return node;
    node.update = draft.leaf->update.get();
    node.path = &draft.leaf->path;
    node.source = draft.leaf->source;
    return node;
  }

  /// Breadth first, so that the children of one node are neighbours.
  void flatten() {
    auto& nodes = tree_.nodes;
    nodes.reserve(drafts_.size());  // Children are pointed at.
    nodes.push_back({});
    std::vector<std::uint32_t> draft_of{0};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      auto& children = drafts_[draft_of[i]].children;
      std::ranges::sort(children, update_order, name_of());
      nodes[i].children = {nodes.data() + nodes.size(), children.size()};
      for (const std::uint32_t child : children) nodes.push_back(node_of(drafts_[child]));
      draft_of.insert(draft_of.end(), children.begin(), children.end());
    }
    note_places();
  }

  void note_places() {
    auto& nodes = tree_.nodes;
    const auto has_many = [](const UpdateNode& node) { return node.children.size() > UpdateTree::kFewChildren; };
    if (std::ranges::none_of(nodes, has_many)) return;
    tree_.by_index.resize(nodes.size());
    for (UpdateNode& node : nodes) {
      if (!has_many(node)) continue;
      std::uint32_t* numbers = tree_.by_index.data() + (node.children.data() - nodes.data());
      order_by_index(node.children, numbers);
      node.by_index = numbers;
    }
  }

  const Collation& collation_;
  UpdateTree tree_;
  std::vector<Draft> drafts_;
  std::vector<bool> used_;  // By filter.
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

void order_by_index(std::span<const UpdateNode> nodes, std::uint32_t* numbers) {
  std::iota(numbers, numbers + nodes.size(), 0);
  std::sort(numbers, numbers + nodes.size(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(nodes[a].index, a) < std::pair(nodes[b].index, b);
  });
}

Result<UpdateTree> parse_update_operators(View update, ArrayFilters filters, const Collation& collation) {
  Parser parser(std::move(filters), collation);
  CHECK_OK(parser.run(update));
  return parser.finish();
}

}  // namespace partita::query
