// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/unnested.h"

#include <algorithm>

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using Kind = FilterNode::Kind;
using Places = std::vector<std::uint32_t>;

constexpr std::uint32_t kAlways = UnnestedFilter::kAlways;
constexpr std::uint32_t kNever = UnnestedFilter::kNever;

class Unnesting {
 public:
  explicit Unnesting(const FilterTree& filter) : filter_(filter), nodes_(filter.nodes), becomes_(nodes_.size(), kAlways) {}

  UnnestedFilter run() && {
    made_.clauses.reserve(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) becomes_[i] = clause_of(static_cast<std::uint32_t>(i));
    made_.root = becomes_.front();
    return std::move(made_);
  }

 private:
  std::uint32_t clause_of(std::uint32_t i) {
    const FilterNode& node = nodes_[i];
    switch (node.kind) {
      case Kind::kAnd:
        return node.of_one_field ? kAlways : join(Kind::kAnd, i, children(i));
      case Kind::kOr:
        return join(Kind::kOr, i, children(i));
      case Kind::kNor: {
        Places within = children(i);
        const Kind kind = within.size() == 1 ? Kind::kNot : Kind::kNor;
        return add({kind, i, {}, without_constants(std::move(within))});
      }
      case Kind::kNot:
      case Kind::kElemDocument: {
        const std::uint32_t whole = join(Kind::kAnd, i, children(i));
        return add({node.kind, i, {}, without_constants({whole})});
      }
      case Kind::kElemValue:
        return add({node.kind, i, {}, without_constants(children(i))});
      case Kind::kComputed:
        return kAlways;
      default:
        return leaf(i);
    }
  }

  Places children(std::uint32_t i) const {
    Places places;
    for (std::uint32_t child = i + 1; child < nodes_[i].end;) {
      if (!nodes_[child].of_one_field) places.push_back(becomes_[child]);
      child = nodes_[child].of_one_field ? child + 1 : nodes_[child].end;
    }
    return places;
  }

  static Places without_constants(Places places) {
    std::erase_if(places, [](std::uint32_t place) { return place >= kNever; });
    return places;
  }

  /// An $and or $or of what has been made of its clauses.
  std::uint32_t join(Kind kind, std::uint32_t node, Places clauses) {
    const std::uint32_t idle = kind == Kind::kAnd ? kAlways : kNever;
    const std::uint32_t decides = kind == Kind::kAnd ? kNever : kAlways;
    take_apart(kind, clauses);
    std::erase(clauses, idle);
    if (clauses.empty()) return idle;
    if (clauses.size() == 1) return clauses.front();
    if (std::ranges::find(clauses, decides) != clauses.end()) return decides;
    if (kind == Kind::kOr && chooses_values(clauses)) return add({Kind::kField, node, "$in", std::move(clauses)});
    return add({kind, node, {}, std::move(clauses)});
  }

  void take_apart(Kind kind, Places& clauses) {
    const auto is_same = [&](std::uint32_t place) { return place < kNever && made_.clauses[place].kind == kind; };
    if (std::ranges::none_of(clauses, is_same)) return;
    Places others;
    Places inner;
    for (const std::uint32_t place : clauses) {
      if (!is_same(place)) {
        others.push_back(place);
        continue;
      }
      const Places& within = made_.clauses[place].within;
      inner.insert(inner.end(), within.begin(), within.end());
    }
    others.insert(others.end(), inner.begin(), inner.end());
    clauses = std::move(others);
  }

  /// Equalities and regular expressions, all of one path. A regular expression in a list is matched with, and not compared.
  bool chooses_values(const Places& clauses) const {
    const FieldPath& path = nodes_[made_.clauses[clauses.front()].node].path;
    return std::ranges::all_of(clauses, [&](std::uint32_t place) {
      const UnnestedClause& clause = made_.clauses[place];
      const FilterNode& node = nodes_[clause.node];
      if (clause.kind != Kind::kField || !(node.path == path)) return false;
      return clause.name == "$regex" || (clause.name == "$eq" && !node.operand.is(Type::kRegex));
    });
  }

  std::uint32_t leaf(std::uint32_t i) {
    const FilterNode& node = nodes_[i];
    if (node.field_operator == nullptr) return add({node.kind, i});
    const std::string_view name = node.field_operator->name;
    if (node.field_operator->bound != Bound::kIn) return add({node.kind, i, name == "$ne" ? "$eq" : name});
    const Value only = only_choice(node, filter_.collation.get());
    return add({node.kind, i, only.missing() ? "$in" : only.is(Type::kRegex) ? "$regex" : "$eq"});
  }

  std::uint32_t add(UnnestedClause clause) {
    made_.clauses.push_back(std::move(clause));
    return static_cast<std::uint32_t>(made_.clauses.size() - 1);
  }

  const FilterTree& filter_;
  const std::vector<FilterNode>& nodes_;
  Places becomes_;  // By node.
  UnnestedFilter made_;
};

}  // namespace

UnnestedFilter unnest(const FilterTree& filter) { return Unnesting(filter).run(); }

Value only_choice(const FilterNode& node, const Collator* collation) {
  Value only;
  for (const bson::Field& choice : node.operand.as_document()) {
    const bool again = !only.missing() && !only.is(Type::kRegex) && bson::equal(choice.value, only, collation);
    if (!only.missing() && !again) return {};
    only = choice.value;
  }
  return only;
}

}  // namespace partita::query
