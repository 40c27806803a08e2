// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/projection.h"

#include <algorithm>

#include "query/path/path_rules.h"
#include "query/projection/apply_projection.h"
#include "query/projection/parse_projection.h"
#include "query/projection/projection_draft.h"

namespace partita::query {

using Kind = ProjectionNode::Kind;

Result<Projection> Projection::parse(bson::View spec, const ExpressionContext& context) {
  Projection made;
  made.spec_ = bson::Document(spec);
  TRY(made.tree_, parse_projection(made.spec_, context));
  return made;
}

Result<Projection> Projection::parse_for_find(bson::View spec, const ExpressionContext& context) {
  Projection made;
  made.spec_ = bson::Document(spec);
  TRY(made.tree_, parse_find_projection(made.spec_, context));
  return made;
}

Result<Projection> Projection::parse_additions(bson::View spec, const ExpressionContext& context) {
  Projection made;
  made.spec_ = bson::Document(spec);
  TRY(made.tree_, query::parse_additions(made.spec_, context));
  return made;
}

Result<Projection> Projection::drop(const std::vector<std::string_view>& paths) {
  for (const std::string_view path : paths) CHECK_OK(check_field_path(path));  // Only then can it be a name.
  Projection made;
  made.spec_ = bson::Document::build([&](bson::Writer& out) {
    for (const std::string_view path : paths) out.add(path, false);
  });
  ProjectionDraft draft;
  const bson::View spec = made.spec_;
  for (auto at = spec.begin(); at != spec.end(); ++at) {
    CHECK_OK(draft.place(ProjectionDraft::kRoot, at->name, Kind::kDrop).status());
  }
  made.tree_ = draft.finish(true);
  return made;
}

Status Projection::apply(const ProjectionInput& input, bson::Writer& out, Arena& arena) const {
  if (keeps_everything()) {
    out.elements(input.document);
    return {};
  }
  return apply_projection(tree_, input, out.buffer(), arena);
}

bool Projection::asks_for(Meta meta) const {
  return std::ranges::any_of(tree_.computed, [&](const ComputedField& field) {
    const Meta* asked = std::get_if<Meta>(&field);
    return asked != nullptr && *asked == meta;
  });
}

bool Projection::asks_for_meta() const {
  return std::ranges::any_of(tree_.computed, [](const ComputedField& field) { return std::holds_alternative<Meta>(field); });
}

Status Projection::check_metas(KnownBeside known) const {
  for (const ComputedField& field : tree_.computed)
    if (const Meta* asked = std::get_if<Meta>(&field)) CHECK_OK(check_available(*asked, known));
  return {};
}

Status Projection::apply_meta(Meta meta, const ProjectionInput& input, bson::Writer& out, Arena& arena) const {
  const ProjectionNode& root = tree_.nodes[0];
  for (std::uint32_t i = root.first_child; i < root.child_end; ++i) {
    const ProjectionNode& child = tree_.nodes[i];
    const Meta* asked = child.kind == Kind::kComputed ? std::get_if<Meta>(&tree_.computed[child.operand]) : nullptr;
    if (asked == nullptr || *asked != meta) continue;
    TRY(const bson::Value value, input.meta->meta(meta, input.document, arena));
    out.add(child.name, value);
  }
  return {};
}

std::pair<std::int64_t, std::int64_t> Slice::within(std::int64_t length) const {
  const std::int64_t begin = skip < 0 ? std::max<std::int64_t>(0, length + skip) : std::min(length, skip);
  return {begin, begin + std::min(length - begin, limit)};
}

bool Projection::collect_fields(std::set<std::string, std::less<>>& fields) const {
  if (tree_.keeps_unlisted || !collect_computed_from(fields)) return false;
  const ProjectionNode& root = tree_.nodes[0];
  for (std::uint32_t i = root.first_child; i < root.child_end; ++i) {
    const ProjectionNode& child = tree_.nodes[i];
    if (child.kind != Kind::kDrop && child.kind != Kind::kComputed) fields.emplace(child.name);
  }
  return true;
}

bool Projection::collect_paths(std::vector<std::string>& paths) const {
  const auto only_keeps = [](const ProjectionNode& node) { return node.kind == Kind::kInner || node.kind == Kind::kKeep || node.kind == Kind::kDrop; };
  if (!is_inclusion() || is_positional() || !tree_.computed.empty() || !std::ranges::all_of(tree_.nodes, only_keeps)) {
    std::set<std::string, std::less<>> fields;
    if (is_positional() || !collect_fields(fields)) return false;
    paths.assign(fields.begin(), fields.end());
    return true;
  }
  std::vector<std::pair<std::uint32_t, std::string>> open{{0, ""}};
  while (!open.empty()) {
    const auto [at, path] = std::move(open.back());
    open.pop_back();
    const ProjectionNode& node = tree_.nodes[at];
    if (at != 0 && node.kind == Kind::kKeep) paths.push_back(path);
    for (std::uint32_t child = node.first_child; child < node.child_end; ++child) {
      open.emplace_back(child, path + (path.empty() ? "" : ".") + std::string(tree_.nodes[child].name));
    }
  }
  return true;
}

bool Projection::collect_computed_from(std::set<std::string, std::less<>>& fields) const {
  for (const ComputedField& field : tree_.computed) {
    const auto* expression = std::get_if<CompiledExpression>(&field);
    if (expression == nullptr || !expression->collect_fields(fields)) return false;  // $meta may depend on anything.
  }
  return true;
}

bool Projection::leaves_alone(const FieldPath& path) const {
  const ProjectionNode* node = tree_.nodes.data();
  for (const PathPart& part : path) {
    const auto begin = tree_.nodes.begin() + node->first_child;
    const auto end = tree_.nodes.begin() + node->child_end;
    const auto child = std::find_if(begin, end, [&](const ProjectionNode& one) { return one.name == part.name; });
    if (child == end) return tree_.keeps_unlisted;
    if (child->kind == Kind::kKeep) return true;
    // What is computed below makes documents of what are none.
    if (child->kind != Kind::kInner || child->computes) return false;
    node = &*child;
  }
  return false;  // Something below it is changed.
}

bool Projection::overwrites(std::string_view top_level_field) const {
  const ProjectionNode& root = tree_.nodes[0];
  for (std::uint32_t i = root.first_child; i < root.child_end; ++i)
    if (tree_.nodes[i].name == top_level_field) return tree_.nodes[i].computes || tree_.nodes[i].kind != Kind::kKeep;
  return is_inclusion();
}

}  // namespace partita::query
