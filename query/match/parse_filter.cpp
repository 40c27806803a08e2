// SPDX-License-Identifier: GPL-3.0-or-later
// A filter nests in three ways: an object of clauses, an array of such objects behind $and/$or/$nor, and an object of
// operators behind a field name. Each open one is a frame on a stack of our own; a frame's node is closed when its fields
// are used up.
#include "query/match/filter_tree.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Field;
using bson::Type;
using bson::Value;
using bson::View;
using Kind = FilterNode::Kind;

struct Frame {
  enum class Holds : std::uint8_t { kClauses, kFilters, kOperators };
  Holds holds;
  std::uint32_t node;
  View::Iterator at;
  View object;
  std::string_view path;  // kOperators.
};

bool is_dbref(View object) {
  const auto first = object.begin();
  return first->name == "$ref" && first->value.is_string() && object.has("$id");
}

/// {$gt: 5}, but not {b: 5} and not a database reference: those are compared as they are.
bool holds_operators(Value value) {
  if (!value.is_document() || value.as_document().empty()) return false;
  const View object = value.as_document();
  return object.begin()->name.starts_with('$') && !is_dbref(object);
}

class Parser {
 public:
  explicit Parser(FilterTree& tree) : tree_(tree) {}

  Status run() {
    CHECK_OK(open(Kind::kAnd, Frame::Holds::kClauses, tree_.filter.view()));
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
    switch (frames_.back().holds) {
      case Frame::Holds::kClauses:
        return clause(field);
      case Frame::Holds::kFilters:
        if (!field.value.is_document()) return error(Code::BadValue, "$or/$and/$nor entries need to be full objects");
        return open(Kind::kAnd, Frame::Holds::kClauses, field.value.as_document());
      case Frame::Holds::kOperators:
        return field_operator(field, frames_.back().path, frames_.back().object);
    }
    return {};
  }

  Status clause(const Field& field) {
    if (field.name.starts_with('$')) return top_operator(field);
    if (holds_operators(field.value))
      return open(Kind::kAnd, Frame::Holds::kOperators, field.value.as_document(), field.name);
    const bool is_regex = field.value.is(Type::kRegex);
    return field_operator({is_regex ? "$regex" : "$eq", field.value}, field.name, View());
  }

  Status top_operator(const Field& field) {
    if (field.name == "$and") return logical(Kind::kAnd, field);
    if (field.name == "$or") return logical(Kind::kOr, field);
    if (field.name == "$nor") return logical(Kind::kNor, field);
    const FilterOperator* entry = Registry<FilterOperator>::find(field.name);
    if (entry == nullptr) return unknown_top_operator(field.name);
    if (entry->parse == nullptr) return not_supported(field.name);
    TRY(Clause clause, entry->parse({.path = {}, .operand = field.value, .siblings = frames_.back().object}));
    add_clause({.kind = Kind::kDocument}, std::move(clause));
    return {};
  }

  Status logical(Kind kind, const Field& field) {
    if (!field.value.is_array()) return error(Code::BadValue, field.name, " must be an array");
    const View filters = field.value.as_document();
    if (filters.empty()) return error(Code::BadValue, "$and/$or/$nor must be a nonempty array");
    return open(kind, Frame::Holds::kFilters, filters);
  }

  Status field_operator(const Field& field, std::string_view path, View siblings) {
    if (field.name == "$not") return negation(field.value, path);
    const MatchOperator* entry = Registry<MatchOperator>::find(field.name);
    if (entry == nullptr) return error(Code::BadValue, "unknown operator: ", field.name);
    if (entry->parse == nullptr) return not_supported(field.name);
    TRY(Clause clause, entry->parse({.path = path, .operand = field.value, .siblings = siblings}));
    add_clause({.kind = Kind::kField, .path = FieldPath(path), .field_operator = entry, .operand = field.value},
               std::move(clause));
    return {};
  }

  Status negation(Value operand, std::string_view path) {
    if (operand.is(Type::kRegex)) {
      tree_.nodes.push_back({.kind = Kind::kNot, .end = next_node() + 2});
      return field_operator({"$regex", operand}, path, View());
    }
    if (!operand.is_document()) return error(Code::BadValue, "$not needs a regex or a document");
    if (operand.as_document().empty()) return error(Code::BadValue, "$not cannot be empty");
    return open(Kind::kNot, Frame::Holds::kOperators, operand.as_document(), path);
  }

  static Status unknown_top_operator(std::string_view name) {
    if (name == "$not")
      return error(Code::BadValue, "unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.");
    return error(Code::BadValue, "unknown top level operator: ", name,
                 ". If you have a field name that starts with a '$' symbol, consider using $getField or $setField.");
  }

  Status open(Kind kind, Frame::Holds holds, View object, std::string_view path = {}) {
    if (frames_.size() >= 2 * kMaxFilterDepth)  // An $and is two levels: its array and the objects in it.
      return error(Code::BadValue, "exceeded maximum query tree depth of ", kMaxFilterDepth);
    frames_.push_back({holds, next_node(), object.begin(), object, path});
    tree_.nodes.push_back({.kind = kind});
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
  std::vector<Frame> frames_;
};

}  // namespace

Status not_supported(std::string_view name) {
  return error(Code::NotImplemented, name, " is not supported by this version of the server");
}

Result<FilterTree> parse_filter(View filter) {
  FilterTree tree{bson::Document(filter), {}};
  CHECK_OK(Parser(tree).run());
  return tree;
}

}  // namespace partita::query
