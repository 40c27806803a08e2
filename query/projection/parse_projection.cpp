// SPDX-License-Identifier: GPL-3.0-or-later
// {a: 1, "b.c": 1, d: {e: 1}, f: {$add: [...]}} becomes a tree of names. Objects that only nest are frames on a stack.
#include "query/projection/parse_projection.h"

#include "query/match/operator.h"
#include "query/path/path_rules.h"
#include "query/projection/projection_draft.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;
using bson::View;
using Kind = ProjectionNode::Kind;

constexpr std::string_view kId = "_id";

/// What the two kinds of specification share: the walk over nested objects.
class Parser {
 public:
  explicit Parser(const ExpressionContext& context) : context_(context) {}
  virtual ~Parser() = default;

  Status run(View spec) {
    open_.push_back({ProjectionDraft::kRoot, spec.begin()});
    while (!open_.empty()) {
      if (open_.back().at == std::default_sentinel) {
        open_.pop_back();
        continue;
      }
      const Field field = *open_.back().at;
      ++open_.back().at;
      CHECK_OK(check_path(field.name));
      CHECK_OK(read(open_.back().node, field));
    }
    return {};
  }

 protected:
  virtual Status read(std::uint32_t parent, const Field& field) = 0;

  Status open(std::uint32_t parent, const Field& field) {
    if (field.value.as_document().empty())
      return error(Code{51270}, "An empty sub-projection is not a valid value. Found empty object at path");
    TRY(const std::uint32_t node, draft_.place(parent, field.name, Kind::kInner));
    open_.push_back({node, field.value.as_document().begin()});
    return {};
  }

  Status compute(std::uint32_t parent, const Field& field) {
    TRY(CompiledExpression expression, CompiledExpression::compile(field.value, context_));
    return draft_.place_computed(parent, field.name, std::move(expression));
  }

  static bool is_operator(Value value) {
    return value.is_document() && !value.as_document().empty() && value.as_document().begin()->name.starts_with('$');
  }

  ProjectionDraft draft_;

 private:
  struct Level {
    std::uint32_t node;
    View::Iterator at;
  };

  /// MongoDB's rules for field paths, and the positional operator's own.
  static Status check_path(std::string_view path) {
    if (path.find(".$.") != std::string_view::npos)
      return error(Code{31394}, "As of 4.4, it's illegal to specify positional operator in the middle of a path.");
    if (path.ends_with(".$")) return not_supported("the positional operator in a projection");
    return check_field_path(path);
  }

  const ExpressionContext& context_;
  std::vector<Level> open_;
};

class ProjectionParser : public Parser {
 public:
  using Parser::Parser;

  ProjectionTree finish() {
    const bool keeps = !inclusion_.value_or(id_ == Kind::kKeep);
    if (!keeps && !draft_.has_top_level(kId)) draft_.place_first(kId, Kind::kKeep);
    return draft_.finish(keeps);
  }

 private:
  Status read(std::uint32_t parent, const Field& field) override {
    const Value value = field.value;
    if (value.is_number() || value.is_bool()) return leaf(parent, field.name, value.truthy());
    if (!value.is_document() || is_operator(value)) return computed(parent, field);
    return open(parent, field);
  }

  /// What MongoDB finds wrong first: an operator in an exclusion, then a collision, then a mixture.
  Status computed(std::uint32_t parent, const Field& field) {
    const bool excludes = !inclusion_.value_or(true);
    if (is_operator(field.value)) {
      CHECK_OK(check_operator(field.value.as_document()));
      if (excludes) return error(Code{31252}, "Cannot use expression other than $meta in exclusion projection");
    }
    CHECK_OK(compute(parent, field));
    if (excludes)
      return error(Code{31310}, "Cannot use an expression ", field.name, ": ", bson::to_shell(field.value),
                   " in an exclusion projection");
    inclusion_ = true;
    return {};
  }

  static Status check_operator(View object) {
    const std::string_view name = object.begin()->name;
    if (object.count() > 1) return check_field_path(name);
    const bool projects = name == "$slice" || name == "$elemMatch" || name == "$meta";
    return projects ? not_supported(name) : Status();
  }

  Status leaf(std::uint32_t parent, std::string_view path, bool keep) {
    CHECK_OK(draft_.place(parent, path, keep ? Kind::kKeep : Kind::kDrop).status());
    if (parent == ProjectionDraft::kRoot && path == kId) {
      id_ = keep ? Kind::kKeep : Kind::kDrop;
    } else if (!inclusion_) {
      inclusion_ = keep;
    } else if (*inclusion_ != keep) {
      if (keep) return error(Code{31253}, "Cannot do inclusion on field ", path, " in exclusion projection");
      return error(Code{31254}, "Cannot do exclusion on field ", path, " in inclusion projection");
    }
    return {};
  }

  std::optional<bool> inclusion_;  // Decided by the first leaf that is computed or is not _id.
  Kind id_ = Kind::kInner;
};

class AdditionsParser : public Parser {
 public:
  using Parser::Parser;
  ProjectionTree finish() { return draft_.finish(true); }

 private:
  Status read(std::uint32_t parent, const Field& field) override {
    if (!field.value.is_document() || is_operator(field.value)) return compute(parent, field);
    return open(parent, field);
  }
};

}  // namespace

Result<ProjectionTree> parse_projection(View spec, const ExpressionContext& context) {
  ProjectionParser parser(context);
  CHECK_OK(parser.run(spec));
  return parser.finish();
}

Result<ProjectionTree> parse_additions(View spec, const ExpressionContext& context) {
  AdditionsParser parser(context);
  CHECK_OK(parser.run(spec));
  return parser.finish();
}

}  // namespace partita::query
