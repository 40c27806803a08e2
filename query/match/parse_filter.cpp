// SPDX-License-Identifier: GPL-3.0-or-later
// A filter nests in four ways: an object of clauses, an array of such objects behind $and/$or/$nor, an object of operators
// behind a field name, and the array behind $all. Each open one is a frame on a stack of our own; a frame's node is closed
// when its fields are used up.
#include <algorithm>

#include "query/expressions/compiled_expression.h"
#include "query/match/choices.h"
#include "query/match/filter_tree.h"
#include "query/match/geo.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Type;
using bson::Value;
using bson::View;
using Kind = FilterNode::Kind;

/// Of a path: as deep as documents may be.
constexpr std::ptrdiff_t kMostParts = 180;

bool begins_with_operator(Value value) {
  if (!holds_operators(value)) return false;
  return Registry<MatchOperator>::find(value.as_document().begin()->name) != nullptr;
}

/// What an operator is asked about: the values that a path leads to, or an element of an array itself.
struct Subject {
  std::string_view path;
  bool element = false;
};

struct Frame {
  enum class Has : std::uint8_t { kClauses, kFilters, kOperators, kAllOf };
  Has has;
  View object;
  Subject subject = {};  // kOperators, kAllOf.
  bool on_element = false;  // Within $elemMatch, where what asks about the document has no place.
  std::uint32_t node = 0;
  View::Iterator at = {};
};

/// Parts of a database reference are fields like others, for all their dollars.
bool is_reference_field(std::string_view name) { return name == "$ref" || name == "$id" || name == "$db"; }

bool is_logical(std::string_view name) { return name == "$and" || name == "$or" || name == "$nor"; }

/// {$elemMatch: {$gt: 5}} asks about elements themselves; {$elemMatch: {b: 5}} and {$elemMatch: {$or: [...]}} ask about
/// their fields.
bool asks_about_values(View operand) {
  if (operand.empty()) return false;
  const std::string_view name = operand.begin()->name;
  if (!name.starts_with('$') || is_logical(name) || Registry<FilterOperator>::find(name) != nullptr) return false;
  return !operand.has("$ref") && !operand.has("$id") && !operand.has("$db");
}

bool is_elem_match(Value value) {
  return value.is_document() && !value.as_document().empty() && value.as_document().begin()->name == "$elemMatch";
}

class Parser {
 public:
  Parser(FilterTree& tree, const ExpressionContext& context, FilterUse use) : tree_(tree), context_(context), use_(use) {}

  Status run() {
    CHECK_OK(open({.kind = Kind::kAnd}, {Frame::Has::kClauses, tree_.filter.view()}));
    while (!frames_.empty()) {
      if (frames_.back().at == std::default_sentinel) {
        tree_.nodes[frames_.back().node].end = static_cast<std::uint32_t>(tree_.nodes.size());
        frames_.pop_back();
        continue;
      }
      const Field field = *frames_.back().at;
      ++frames_.back().at;
      CHECK_OK(read(field));
    }
    return {};
  }

 private:
  Status read(const Field& field) {
    const Frame frame = frames_.back();
    switch (frame.has) {
      case Frame::Has::kClauses:
        return clause(field, frame);
      case Frame::Has::kFilters:
        if (!field.value.is_document()) return error(Code::BadValue, "$or/$and/$nor entries need to be full objects");
        return open({.kind = Kind::kAnd}, {Frame::Has::kClauses, field.value.as_document(), {}, frame.on_element});
      case Frame::Has::kOperators:
        return field_operator(field, frame.subject, frame.object);
      case Frame::Has::kAllOf:
        return one_of_all(field.value, frame);
    }
    return {};
  }

  Status clause(const Field& field, const Frame& frame) {
    const Subject subject{.path = field.name};
    if (is_reference_field(field.name)) return field_operator({"$eq", field.value}, subject, View());
    if (field.name.starts_with('$')) return top_operator(field, frame);
    if (std::ranges::count(field.name, '.') >= kMostParts) return error(Code{5729100}, "FieldPath is too long");
    if (holds_operators(field.value))
      return open({.kind = Kind::kAnd, .of_one_field = true}, {Frame::Has::kOperators, field.value.as_document(), subject});
    return plain(field.value, subject);
  }

  /// A value stands for equality, a regular expression for a match.
  Status plain(Value value, Subject subject) {
    return field_operator({value.is(Type::kRegex) ? "$regex" : "$eq", value}, subject, View());
  }

  Status top_operator(const Field& field, const Frame& frame) {
    if (field.name == "$and") return logical(Kind::kAnd, field, frame);
    if (field.name == "$or") return logical(Kind::kOr, field, frame);
    if (field.name == "$nor") return logical(Kind::kNor, field, frame);
    const FilterOperator* entry = Registry<FilterOperator>::find(field.name);
    if (entry == nullptr) return unknown_top_operator(field.name);
    if (entry->parse == nullptr) return not_supported(field.name);
    if (frame.on_element && entry->about == About::kDocument)
      return error(Code::BadValue, field.name, " can only be applied to the top-level document");
    const bool must_hold = !is_within(Kind::kOr) && !is_within(Kind::kNor);
    const OperatorArgs args{.path = {}, .operand = field.value, .siblings = frame.object, .context = context_, .must_hold = must_hold};
    TRY(Clause clause, entry->parse(args));
    if (clause.text != nullptr) CHECK_OK(take_text(clause.text, must_hold));
    if (clause.never) {
      tree_.nodes.push_back({.kind = Kind::kOr, .end = next_node() + 1});  // As all() does for nothing.
      return {};
    }
    add_clause({.kind = entry->in_upsert ? Kind::kValue : Kind::kDocument,
                .of_queries = entry->of_queries ? entry->name : std::string_view()}, std::move(clause));
    if (entry->imply != nullptr && !is_within(Kind::kNor)) entry->imply(args, tree_);
    return {};
  }

  bool is_within(Kind kind) const {
    return std::ranges::any_of(frames_, [&](const Frame& frame) { return tree_.nodes[frame.node].kind == kind; });
  }

  Status take_text(std::shared_ptr<const text::Query> text, bool must_hold) {
    if (is_within(Kind::kNor)) return error(Code::BadValue, "text expression not allowed in nor");
    if (tree_.text != nullptr) return error(Code::BadValue, "Too many text expressions");
    tree_.text = std::move(text);
    tree_.text_must_hold = must_hold;
    return {};
  }

  Status logical(Kind kind, const Field& field, const Frame& frame) {
    if (!field.value.is_array()) return error(Code::BadValue, field.name, " must be an array");
    const View filters = field.value.as_document();
    if (filters.empty()) return error(Code::BadValue, "$and/$or/$nor must be a nonempty array");
    return open({.kind = kind}, {Frame::Has::kFilters, filters, {}, frame.on_element});
  }

  Status field_operator(const Field& field, Subject subject, View siblings) {
    if (field.name == "$not") return negation(field.value, subject);
    const MatchOperator* entry = Registry<MatchOperator>::find(field.name);
    if (entry == nullptr) return error(Code::BadValue, "unknown operator: ", field.name);
    if (entry->parse == nullptr) return not_supported(field.name);
    const OperatorArgs args{.path = subject.path, .operand = field.value, .siblings = siblings, .context = context_};
    TRY(Clause clause, entry->parse(args));
    if (entry->holds == Holds::kElement) return element(field.value.as_document(), subject);
    if (entry->holds == Holds::kAll) return all(field.value.as_document(), subject);
    if (entry->takes_siblings && !siblings.empty()) frames_.back().at = {};
    if (entry->orders) return ordering(std::move(clause));
    FilterNode leaf = node_about(subject, Kind::kField, Kind::kValue);
    leaf.field_operator = entry;
    leaf.operand = field.value;
    add_clause(std::move(leaf), std::move(clause));
    return {};
  }

  /// It must hold for whatever is answered, and once: an order is one of the whole answer.
  Status ordering(Clause clause) {
    if (use_ == FilterUse::kTest) return error(Code{5626500}, "$geoNear, $near, and $nearSphere are not allowed in this context");
    const auto is_and = [&](const Frame& frame) { return tree_.nodes[frame.node].kind == Kind::kAnd; };
    if (!std::ranges::all_of(frames_, is_and)) return error(Code::BadValue, "geo $near must be top-level expr");
    if (tree_.near != nullptr) return error(Code::BadValue, "Too many geoNear expressions");
    tree_.near = static_cast<const NearMatch&>(*clause.predicate).query();
    add_clause({.kind = Kind::kValue}, std::move(clause));
    return {};
  }

  Status negation(Value operand, Subject subject) {
    if (operand.is(Type::kRegex)) {
      tree_.nodes.push_back({.kind = Kind::kNot, .end = next_node() + 2});
      return plain(operand, subject);
    }
    if (!operand.is_document()) return error(Code::BadValue, "$not needs a regex or a document");
    if (operand.as_document().empty()) return error(Code::BadValue, "$not cannot be empty");
    return open({.kind = Kind::kNot}, {Frame::Has::kOperators, operand.as_document(), subject});
  }

  Status element(View operand, Subject subject) {
    if (asks_about_values(operand)) {
      const Subject each{.path = subject.path, .element = true};
      return open(node_about(subject, Kind::kElemValue, Kind::kElemValue), {Frame::Has::kOperators, operand, each});
    }
    return open(node_about(subject, Kind::kElemDocument, Kind::kElemDocument), {Frame::Has::kClauses, operand, {}, true});
  }

  /// All of nothing is an $or of nothing: it holds for no document.
  Status all(View operand, Subject subject) {
    return open({.kind = operand.empty() ? Kind::kOr : Kind::kAnd}, {Frame::Has::kAllOf, operand, subject});
  }

  Status one_of_all(Value value, const Frame& frame) {
    const bool elements = is_elem_match(frame.object.begin()->value);
    if (elements && !is_elem_match(value)) return error(Code::BadValue, "$all/$elemMatch has to be consistent");
    if (elements) return field_operator(*value.as_document().begin(), frame.subject, View());
    if (begins_with_operator(value)) return error(Code::BadValue, "no $ expressions in $all");
    return plain(value, frame.subject);
  }

  static FilterNode node_about(Subject subject, Kind along_path, Kind of_element) {
    if (subject.element) return {.kind = of_element};
    return {.kind = along_path, .path = FieldPath(subject.path)};
  }

  static Status unknown_top_operator(std::string_view name) {
    if (name == "$not")
      return error(Code::BadValue, "unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.");
    return error(Code::BadValue, "unknown top level operator: ", name,
                 ". If you have a field name that starts with a '$' symbol, consider using $getField or $setField.");
  }

  Status open(FilterNode node, Frame frame) {
    if (frames_.size() >= 2 * kMaxFilterDepth)  // An $and is two levels: its array and the objects in it.
      return error(Code::BadValue, "exceeded maximum query tree depth of ", kMaxFilterDepth);
    frame.node = next_node();
    frame.at = frame.object.begin();
    frames_.push_back(frame);
    tree_.nodes.push_back(std::move(node));
    return {};
  }

  void add_clause(FilterNode leaf, Clause clause) {
    if (clause.predicate == nullptr) return;
    if (clause.negated) tree_.nodes.push_back({.kind = Kind::kNot, .end = next_node() + 2});
    leaf.end = next_node() + 1;
    leaf.predicate = std::move(clause.predicate);
    tree_.nodes.push_back(std::move(leaf));
  }

  std::uint32_t next_node() const { return static_cast<std::uint32_t>(tree_.nodes.size()); }

  FilterTree& tree_;
  const ExpressionContext& context_;
  const FilterUse use_;
  std::vector<Frame> frames_;
};

}  // namespace

bool holds_operators(Value value) {
  if (!value.is_document() || value.as_document().empty()) return false;
  const View object = value.as_document();
  return object.begin()->name.starts_with('$') && !(object.has("$ref") && object.has("$id"));
}

Status not_supported(std::string_view name) {
  return error(Code::NotImplemented, name, " is not supported by this version of the server");
}

Status check_asks_of_values(const FilterTree& filter) {
  for (const FilterNode& node : filter.nodes)
    if (!node.of_queries.empty()) return error(Code::QueryFeatureNotAllowed, node.of_queries, " is not allowed in this context");
  return {};
}

Result<FilterTree> parse_filter(View filter, const ExpressionContext& context, FilterUse use) {
  FilterTree tree{bson::Document(filter), {}};
  tree.collation = context.collation;
  CHECK_OK(Parser(tree, context, use).run());
  join_choices(tree, context);
  return tree;
}

}  // namespace partita::query
