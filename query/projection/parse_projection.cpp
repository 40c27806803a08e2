// SPDX-License-Identifier: GPL-3.0-or-later
// {a: 1, "b.c": 1, d: {e: 1}} becomes a tree of names. It is built with lists of children and laid out flat at the end.
#include "query/projection/parse_projection.h"

#include <optional>

#include "query/match/operator.h"
#include "query/path/path_rules.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;
using bson::View;
using Kind = ProjectionNode::Kind;

constexpr std::string_view kId = "_id";

struct Draft {
  std::string_view name;
  Kind kind = Kind::kInner;
  std::vector<std::uint32_t> children = {};
};

class Parser {
 public:
  Status run(View spec) {
    drafts_.push_back({});
    open_.push_back({0, spec.begin()});
    while (!open_.empty()) {
      if (open_.back().at == std::default_sentinel) {
        open_.pop_back();
        continue;
      }
      const Field field = *open_.back().at;
      ++open_.back().at;
      CHECK_OK(read(open_.back().node, field));
    }
    return {};
  }

  ProjectionTree finish() {
    const bool keeps = !inclusion_.value_or(id_ == Kind::kKeep);
    if (!keeps && !id_seen_) drafts_[0].children.insert(drafts_[0].children.begin(), add_draft(kId, Kind::kKeep));
    return {flatten(), keeps};
  }

 private:
  struct Level {
    std::uint32_t node;
    View::Iterator at;
  };

  Status read(std::uint32_t parent, const Field& field) {
    CHECK_OK(check_path(field.name));
    const Value value = field.value;
    if (value.is_document()) return sub_projection(parent, field);
    if (!value.is_number() && !value.is_bool())
      return not_supported("a computed value in a projection");
    return leaf(parent, field.name, value.truthy());
  }

  /// MongoDB's rules for field paths, and the positional operator's own.
  static Status check_path(std::string_view path) {
    if (path.ends_with(".$") || path.find(".$.") != std::string_view::npos)
      return not_supported("the positional operator in a projection");
    return check_field_path(path);
  }

  Status sub_projection(std::uint32_t parent, const Field& field) {
    const View object = field.value.as_document();
    if (object.empty())
      return error(Code{51270}, "An empty sub-projection is not a valid value. Found empty object at path");
    if (object.begin()->name.starts_with('$')) return projection_operator(object);
    TRY(const std::uint32_t node, descend(parent, field.name, Kind::kInner));
    open_.push_back({node, object.begin()});
    return {};
  }

  static Status projection_operator(View object) {
    if (object.count() > 1) return check_field_path(object.begin()->name);
    const std::string_view name = object.begin()->name;
    if (name == "$slice" || name == "$elemMatch" || name == "$meta") return not_supported(name);
    return error(Code{31325}, "Unknown expression ", name);
  }

  Status leaf(std::uint32_t parent, std::string_view path, bool keep) {
    const bool is_id = parent == 0 && path == kId;
    if (is_id) {
      id_ = keep ? Kind::kKeep : Kind::kDrop;
    } else if (!inclusion_) {
      inclusion_ = keep;
    } else if (*inclusion_ != keep) {
      if (keep) return error(Code{31253}, "Cannot do inclusion on field ", path, " in exclusion projection");
      return error(Code{31254}, "Cannot do exclusion on field ", path, " in inclusion projection");
    }
    return descend(parent, path, keep ? Kind::kKeep : Kind::kDrop).status();
  }

  /// Makes the nodes of a dotted path; two paths must not end in, or lead through, the same leaf.
  Result<std::uint32_t> descend(std::uint32_t node, std::string_view path, Kind last) {
    const std::string_view whole = path;
    if (node == 0 && path.substr(0, path.find('.')) == kId) id_seen_ = true;
    while (true) {
      const std::size_t dot = path.find('.');
      const bool ends = dot == std::string_view::npos;
      const std::string_view name = path.substr(0, dot);
      const auto found = child(node, name);
      if (!found) {
        const std::uint32_t made = add_draft(name, ends ? last : Kind::kInner);
        drafts_[node].children.push_back(made);
        node = made;
      } else if (drafts_[*found].kind != Kind::kInner && !ends) {
        return error(Code{31249}, "Path collision at ", whole, " remaining portion ", path.substr(dot + 1));
      } else if (ends && (last != Kind::kInner || drafts_[*found].kind != Kind::kInner)) {
        return error(Code{31250}, "Path collision at ", whole);
      } else {
        node = *found;
      }
      if (ends) return node;
      path.remove_prefix(dot + 1);
    }
  }

  std::optional<std::uint32_t> child(std::uint32_t node, std::string_view name) const {
    for (const std::uint32_t child : drafts_[node].children)
      if (drafts_[child].name == name) return child;
    return std::nullopt;
  }

  std::uint32_t add_draft(std::string_view name, Kind kind) {
    drafts_.push_back({name, kind});
    return static_cast<std::uint32_t>(drafts_.size() - 1);
  }

  /// Breadth first, so that the children of one node are neighbours.
  std::vector<ProjectionNode> flatten() const {
    std::vector<ProjectionNode> nodes{{}};
    std::vector<std::uint32_t> draft_of{0};
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      nodes[i].first_child = static_cast<std::uint32_t>(nodes.size());
      for (const std::uint32_t child : drafts_[draft_of[i]].children) {
        nodes.push_back({drafts_[child].name, drafts_[child].kind});
        draft_of.push_back(child);
      }
      nodes[i].child_end = static_cast<std::uint32_t>(nodes.size());
    }
    return nodes;
  }

  std::vector<Draft> drafts_;
  std::vector<Level> open_;
  std::optional<bool> inclusion_;  // Decided by the first leaf that is not _id.
  Kind id_ = Kind::kInner;
  bool id_seen_ = false;
};

}  // namespace

Result<ProjectionTree> parse_projection(View spec) {
  Parser parser;
  CHECK_OK(parser.run(spec));
  return parser.finish();
}

}  // namespace partita::query
