// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/projection.h"

#include "query/path/path_rules.h"
#include "query/projection/apply_projection.h"
#include "query/projection/parse_projection.h"
#include "query/projection/projection_draft.h"

namespace partita::query {

using Kind = ProjectionNode::Kind;

ExpressionContext Projection::projection_context() {
  ExpressionContext context;
  context.unknown_operator = Code{31325};
  context.unknown_text = "Unknown expression ";
  context.quote_unknown = false;
  return context;
}

Result<Projection> Projection::parse(bson::View spec, const ExpressionContext& context) {
  Projection made;
  made.spec_ = bson::Document(spec);
  TRY(made.tree_, parse_projection(made.spec_, context));
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

Status Projection::apply(bson::View document, bson::Writer& out, Arena& arena) const {
  if (keeps_everything()) {
    out.elements(document);
    return {};
  }
  return apply_projection(tree_, document, out.buffer(), arena);
}

bool Projection::collect_fields(std::set<std::string, std::less<>>& fields) const {
  if (tree_.keeps_unlisted || !collect_computed_from(fields)) return false;
  const ProjectionNode& root = tree_.nodes[0];
  for (std::uint32_t i = root.first_child; i < root.child_end; ++i) {
    const ProjectionNode& child = tree_.nodes[i];
    if (child.kind == Kind::kKeep || child.kind == Kind::kInner) fields.emplace(child.name);
  }
  return true;
}

bool Projection::collect_computed_from(std::set<std::string, std::less<>>& fields) const {
  for (const CompiledExpression& expression : tree_.expressions)
    if (!expression.collect_fields(fields)) return false;
  return true;
}

bool Projection::overwrites(std::string_view top_level_field) const {
  const ProjectionNode& root = tree_.nodes[0];
  for (std::uint32_t i = root.first_child; i < root.child_end; ++i)
    if (tree_.nodes[i].name == top_level_field) return tree_.nodes[i].computes || tree_.nodes[i].kind != Kind::kKeep;
  return is_inclusion();
}

}  // namespace partita::query
