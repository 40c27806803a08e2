// SPDX-License-Identifier: GPL-3.0-or-later
// {a: 1, "b.c": 1, d: {e: 1}, f: {$add: [...]}} becomes a tree of names. Objects that only nest are frames on a stack.
#include "query/projection/parse_projection.h"

#include "query/match/operator.h"
#include "query/path/path_rules.h"
#include "query/projection/check_additions.h"
#include "query/projection/find_operators.h"
#include "query/projection/projection_draft.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Value;
using bson::View;
using Kind = ProjectionNode::Kind;

constexpr std::string_view kId = "_id";
constexpr std::string_view kMeta = "$meta";

/// What the kinds of specification share: the walk over nested objects.
class Parser {
 public:
  Parser(const ExpressionContext& context, Dialect dialect) : context_(context), dialect_(dialect) {}
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
      CHECK_OK(read(open_.back().node, field));
    }
    return {};
  }

 protected:
  virtual Status read(std::uint32_t parent, const Field& field) = 0;

  Status open(std::uint32_t parent, const Field& field) {
    TRY(const std::uint32_t node, draft_.place(parent, field.name, Kind::kInner));
    open_.push_back({node, field.value.as_document().begin()});
    return {};
  }

  Status compute(std::uint32_t parent, const Field& field) {
    TRY(CompiledExpression expression, CompiledExpression::compile(field.value, context_, dialect_));
    return draft_.place_computed(parent, field.name, std::move(expression));
  }

  static Status check_not_empty(Value value) {
    if (!value.is_document() || !value.as_document().empty()) return {};
    return error(Code{51270}, "An empty sub-projection is not a valid value. Found empty object at path");
  }

  static bool is_operator(Value value) {
    return value.is_document() && !value.as_document().empty() && value.as_document().begin()->name.starts_with('$');
  }

  ProjectionDraft draft_;
  const ExpressionContext& context_;

 private:
  struct Level {
    std::uint32_t node;
    View::Iterator at;
  };

  Dialect dialect_;
  std::vector<Level> open_;
};

/// What $project and find have in common.
class ProjectionParser : public Parser {
 public:
  explicit ProjectionParser(const ExpressionContext& context) : Parser(context, Dialect::kProjection) {}

  ProjectionTree finish() {
    const bool keeps = !inclusion_.value_or(includes_by_default());
    if (!keeps && !draft_.has_top_level(kId)) draft_.place_first(kId, Kind::kKeep);
    return draft_.finish(keeps);
  }

 protected:
  Status read(std::uint32_t parent, const Field& field) override {
    const Value value = field.value;
    TRY(const bool is_positional, check_positional(field));
    CHECK_OK(check_not_empty(value));
    if (!is_positional) CHECK_OK(check_field_path(field.name));
    if (value.is_number() || value.is_bool()) return leaf(parent, field, value.truthy());
    if (!value.is_document()) return literal(parent, field);
    const View object = value.as_document();
    // Among others an operator's name is a field's, and read as such.
    return is_operator(value) && object.count() == 1 ? operation(parent, field.name, *object.begin(), field) : open(parent, field);
  }

  static Status check_place_at_end(std::string_view path) {
    if (path.find(".$.") == std::string_view::npos) return {};
    return error(Code{31394}, "As of 4.4, it's illegal to specify positional operator in the middle of a path."
                 "Positional projection may only be used at the end, for example: a.b.$. If the query previously used a "
                 "form like a.b.$.d, remove the parts following the '$' and the results will be equivalent.");
  }

  /// Whether it is "a.$", which has no place but in find.
  virtual Result<bool> check_positional(const Field& field) {
    const std::string_view path = field.name;
    CHECK_OK(check_place_at_end(path));
    if (path == "$" || path.ends_with(".$")) return error(Code{31324}, "Cannot use positional projection in aggregation projection");
    return false;
  }

  virtual Status leaf(std::uint32_t parent, const Field& field, bool keep) {
    CHECK_OK(draft_.place(parent, field.name, keep ? Kind::kKeep : Kind::kDrop).status());
    if (parent != ProjectionDraft::kRoot || field.name != kId) return settle(field.name, keep);
    id_ = keep ? Kind::kKeep : Kind::kDrop;
    return {};
  }

  /// The first leaf that is computed or is not _id says which kind of projection it is.
  Status settle(std::string_view path, bool keep) {
    if (inclusion_.value_or(keep) != keep) {
      if (keep) return error(Code{31253}, "Cannot do inclusion on field ", path, " in exclusion projection");
      return error(Code{31254}, "Cannot do exclusion on field ", path, " in inclusion projection");
    }
    inclusion_ = keep;
    return {};
  }

  Status literal(std::uint32_t parent, const Field& field) {
    CHECK_OK(compute(parent, field));
    if (!inclusion_.value_or(true))
      return error(Code{31310}, "Cannot use an expression ", field.name, ": ", bson::to_shell(field.value),
                   " in an exclusion projection");
    inclusion_ = true;
    return {};
  }

  /// {path: {$name: operand}}.
  virtual Status operation(std::uint32_t parent, std::string_view path, const Field& call, const Field& field) {
    if (call.name == kMeta) {
      TRY(const Meta meta, parse_meta(call.value));
      has_meta_ = true;
      return draft_.place_computed(parent, path, meta);
    }
    if (!inclusion_.value_or(true)) return no_expression();
    inclusion_ = true;
    return compute(parent, field);
  }
  static Status no_expression() {
    return error(Code{31252}, "Cannot use expression other than $meta in exclusion projection");
  }

  /// Where nothing has settled it.
  virtual bool includes_by_default() const { return has_meta_ || id_ == Kind::kKeep; }

  std::optional<bool> inclusion_;
  Kind id_ = Kind::kInner;
  bool has_meta_ = false;
};

class StageParser : public ProjectionParser {
 public:
  using ProjectionParser::ProjectionParser;

 private:
  Status operation(std::uint32_t parent, std::string_view path, const Field& call, const Field& field) override {
    if (call.name == "$elemMatch")
      return error(Code::InvalidPipelineOperator, "Cannot use $elemMatch in this context");
    if (call.name == kMeta) {
      has_meta_ = true;
      return compute(parent, field);
    }
    return ProjectionParser::operation(parent, path, call, field);
  }
};

/// With what only find knows: $slice and $elemMatch of its own kinds, and "a.$".
class FindParser : public ProjectionParser {
 public:
  using ProjectionParser::ProjectionParser;

 private:
  Result<bool> check_positional(const Field& field) override {
    const std::string_view path = field.name;
    CHECK_OK(check_place_at_end(path));
    if (!path.ends_with(".$")) return false;
    if (field.value.is_document())
      return error(Code{31271}, "positional projection cannot be used with an expression or sub object");
    if (!field.value.is_number() && !field.value.is_bool())
      return error(Code{31308}, "positional projection cannot be used with a literal");
    if (!field.value.truthy()) return error(Code{31395}, "positional projection cannot be used with exclusion");
    return true;
  }

  Status leaf(std::uint32_t parent, const Field& field, bool keep) override {
    return field.name.ends_with(".$") ? positional(parent, field.name) : ProjectionParser::leaf(parent, field, keep);
  }

  Status positional(std::uint32_t parent, std::string_view path) {
    if (has_positional_) return error(Code{31276}, "Cannot specify more than one positional projection per query.");
    if (has_element_match_) return error(Code{31256}, "Cannot specify positional operator and $elemMatch.");
    const std::string_view plain = path.substr(0, path.size() - 2);
    if (plain.empty()) return error(Code{5392900}, "Projection on field ", path, " is invalid");
    CHECK_OK(check_field_path(plain));
    CHECK_OK(draft_.place_positional(parent, plain));
    has_positional_ = true;
    return settle(path, true);
  }

  Status operation(std::uint32_t parent, std::string_view path, const Field& call, const Field& field) override {
    if (call.name == "$slice") return slice(parent, path, call, field);
    if (call.name == "$elemMatch") return element_match(parent, path, call.value, field);
    return ProjectionParser::operation(parent, path, call, field);
  }

  /// What is no $slice of find may be one of expressions. MongoDB tries that with one that has found no place too: two
  /// numbers would be an expression that collides just the same, and one number is none.
  Status slice(std::uint32_t parent, std::string_view path, const Field& call, const Field& field) {
    const Result<Slice> parsed = parse_slice(call.value);
    Status problem = parsed.ok() ? draft_.place_slice(parent, path, *parsed) : parsed.status();
    if (problem.ok()) has_slice_ = true;
    if (problem.ok()) return {};
    if (!inclusion_.value_or(true)) return no_expression();
    if (parsed.ok() && call.value.is_array()) return problem;
    return ProjectionParser::operation(parent, path, call, field)
        .with_context(detail::join("Invalid $slice syntax. The given syntax ", bson::to_shell(field.value),
                                   " did not match the find() syntax because :: ", code_name(problem.code()), ": ",
                                   problem.message(),
                                   " :: The given syntax did not match the expression $slice syntax. :: caused by :: "));
  }

  Status element_match(std::uint32_t parent, std::string_view path, Value operand, const Field& field) {
    if (!operand.is_document())
      return error(Code{31274}, "elemMatch: Invalid argument, object required, but got ", operand.type_name());
    if (has_positional_) return error(Code{31255}, "Cannot specify positional operator and $elemMatch.");
    if (parent != ProjectionDraft::kRoot || path.find('.') != std::string_view::npos)
      return error(Code{31275}, "Cannot use $elemMatch projection on a nested field.");
    const bson::Document filter = bson::Document::build([&](bson::Writer& out) { out.add(path, field.value); });
    TRY(Matcher matcher, Matcher::parse(filter, {.collation = context_.collation}));
    CHECK_OK(check_asks_of_values(matcher.tree()));
    has_element_match_ = true;
    return draft_.place_computed(parent, path, ElementMatch{path, std::move(matcher)});
  }

  bool includes_by_default() const override {
    if (has_slice_ || !has_element_match_) return id_ == Kind::kKeep;
    return true;
  }

  bool has_positional_ = false;
  bool has_element_match_ = false;
  bool has_slice_ = false;
};

class AdditionsParser : public Parser {
 public:
  explicit AdditionsParser(const ExpressionContext& context) : Parser(context, Dialect::kPipeline) {}
  ProjectionTree finish() { return draft_.finish(true); }

 private:
  Status read(std::uint32_t parent, const Field& field) override {
    if (!field.value.is_document() || is_operator(field.value)) return compute(parent, field);
    return open(parent, field);
  }
};

template <class Kind>
Result<ProjectionTree> parse_with(Kind parser, View spec) {
  CHECK_OK(parser.run(spec));
  return parser.finish();
}

}  // namespace

Result<ProjectionTree> parse_projection(View spec, const ExpressionContext& context) {
  return parse_with(StageParser(context), spec);
}

Result<ProjectionTree> parse_find_projection(View spec, const ExpressionContext& context) {
  return parse_with(FindParser(context), spec);
}

Result<ProjectionTree> parse_additions(View spec, const ExpressionContext& context) {
  CHECK_OK(check_additions(spec));
  return parse_with(AdditionsParser(context), spec);
}

}  // namespace partita::query
