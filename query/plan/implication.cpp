// SPDX-License-Identifier: GPL-3.0-or-later
// Every node of the query against every node of the filter, the last ones first: what a node needs of its children is
// known then, and nothing recurses. Both trees are short, and where they are not nothing is implied.
#include "query/plan/implication.h"

#include <algorithm>
#include <cmath>

#include "wire/bson/compare.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using Kind = FilterNode::Kind;

constexpr std::size_t kMostPairs = std::size_t{1} << 20;

/// With one value: not with a list, and a pattern is no value to compare with.
bool is_comparison(const FilterNode& node) {
  const Bound bound = node.field_operator->bound;
  return bound != Bound::kNone && bound != Bound::kIn && bound != Bound::kRegex && bound != Bound::kPlace;
}
bool is_exists(const FilterNode& node) { return node.field_operator->name == "$exists"; }
bool is_type(const FilterNode& node) { return node.field_operator->name == "$type"; }

bool allows_equal(Bound bound) { return bound == Bound::kEqual || bound == Bound::kLessOrEqual || bound == Bound::kGreaterOrEqual; }
bool reaches_up(Bound bound) { return bound == Bound::kGreater || bound == Bound::kGreaterOrEqual; }
bool reaches_down(Bound bound) { return bound == Bound::kLess || bound == Bound::kLessOrEqual; }

bool is_nan(Value value) { return value.is_number() && std::isnan(value.to_double().value_or(0)); }

/// By which collation the query compares, and whether the index's filter does so too.
struct Texts {
  const Collator* collation;
  bool agree;
  /// Whether it can be told how the two compare in both.
  bool comparable(Value a, Value b) const { return agree || !(is_collated(a) || is_collated(b)); }
};

/// Whether what compares so with `value` compares as `wanted` asks with its operand, in one class of types.
bool comparison_implies(Bound bound, Value value, Bound wanted, Value operand, const Texts& texts) {
  if (!texts.comparable(value, operand)) return false;
  if (bson::type_class(value.type()) != bson::type_class(operand.type())) return false;
  if (is_nan(value) || is_nan(operand)) return is_nan(value) && is_nan(operand) && allows_equal(bound) && allows_equal(wanted);
  const auto order = bson::compare(value, operand, texts.collation);
  if (bound == wanted && order == 0) return true;
  if (reaches_down(wanted) && !reaches_up(bound)) return order < 0 || (order == 0 && wanted == Bound::kLessOrEqual);
  if (reaches_up(wanted) && !reaches_down(bound)) return order > 0 || (order == 0 && wanted == Bound::kGreaterOrEqual);
  return false;
}

/// What compares with these may be missing.
bool may_be_missing(Value operand) { return operand.is_nullish() || operand.is(Type::kMinKey) || operand.is(Type::kMaxKey); }

/// One value of an $in is an equality, but for a regular expression, which is a search.
template <class Holds>
bool all_equalities(const FilterNode& list, Holds&& holds) {
  return std::ranges::all_of(list.operand.as_document(), [&](const bson::Field& one) { return !one.value.is(Type::kRegex) && holds(one.value); });
}

bool implies_exists(const FilterNode& node) {
  if (node.field_operator->bound == Bound::kIn) return all_equalities(node, [](Value one) { return !may_be_missing(one); });
  if (is_comparison(node)) return !may_be_missing(node.operand);
  constexpr std::string_view kOfWhatIsThere[] = {"$exists", "$type", "$mod", "$regex", "$size",
                                                 "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear"};
  return std::ranges::find(kOfWhatIsThere, node.field_operator->name) != std::end(kOfWhatIsThere);
}

/// {$ne: null}, {$nin: [null]}: a node that is negated, and alone in that.
bool negation_implies_exists(const FilterNode& negated) {
  if (negated.kind != Kind::kField) return false;
  if (negated.field_operator->bound == Bound::kEqual) return negated.operand.is_null();
  if (negated.field_operator->bound != Bound::kIn) return false;
  return std::ranges::any_of(negated.operand.as_document(), [](const bson::Field& one) { return one.value.is_null(); });
}

bool equality_implies(Value value, const FilterNode& wanted, const Texts& texts) {
  if (wanted.field_operator->bound != Bound::kIn) return comparison_implies(Bound::kEqual, value, wanted.field_operator->bound, wanted.operand, texts);
  return std::ranges::any_of(wanted.operand.as_document(), [&](const bson::Field& one) { return texts.comparable(value, one.value) && bson::equal(value, one.value, texts.collation); });
}

bool leaf_implies(const FilterNode& node, const FilterNode& wanted, const Texts& texts) {
  if (node.path.text() != wanted.path.text()) return false;
  if (is_exists(wanted)) return implies_exists(node);
  if (is_type(wanted)) return is_type(node) && bson::equal(node.operand, wanted.operand);
  const Bound bound = node.field_operator->bound;
  if (bound == Bound::kIn) return all_equalities(node, [&](Value one) { return equality_implies(one, wanted, texts); });
  if (bound == Bound::kEqual) return equality_implies(node.operand, wanted, texts);
  if (!is_comparison(node) || !is_comparison(wanted)) return false;
  return comparison_implies(bound, node.operand, wanted.field_operator->bound, wanted.operand, texts);
}

class Pairs {
 public:
  Pairs(const FilterTree& query, const FilterTree& filter)
      : texts_{query.collation.get(), agree(query.collation, filter.collation)},
        query_(query.nodes),
        filter_(filter.nodes),
        known_(query_.size() * filter_.size()) {}

  bool run() {
    for (std::size_t left = query_.size(); left-- > 0;) {
      for (std::size_t right = filter_.size(); right-- > 0;) known_[left * filter_.size() + right] = decide(left, right);
    }
    return at(0, 0);
  }

 private:
  bool at(std::size_t left, std::size_t right) const { return known_[left * filter_.size() + right]; }

  template <class Holds>
  static bool any_child(const std::vector<FilterNode>& nodes, std::size_t parent, Holds&& holds) {
    for (std::size_t child = parent + 1; child < nodes[parent].end; child = nodes[child].end) {
      if (holds(child)) return true;
    }
    return false;
  }

  /// The filter is taken apart before the query: one alternative may want two of the query's conditions at once.
  bool decide(std::size_t left, std::size_t right) const {
    const FilterNode& node = query_[left];
    const FilterNode& wanted = filter_[right];
    const auto wants = [&](std::size_t child) { return at(left, child); };
    const auto lacks = [&](std::size_t child) { return !at(left, child); };
    if (wanted.kind == Kind::kOr && any_child(filter_, right, wants)) return true;
    if (wanted.kind == Kind::kAnd) return !any_child(filter_, right, lacks);
    const auto gives = [&](std::size_t child) { return at(child, right); };
    const auto fails = [&](std::size_t child) { return !at(child, right); };
    if (node.kind == Kind::kAnd) return any_child(query_, left, gives);
    if (node.kind == Kind::kOr) return !any_child(query_, left, fails);
    if (wanted.kind != Kind::kField) return false;
    if (node.kind == Kind::kField) return leaf_implies(node, wanted, texts_);
    if (node.is_elem()) return is_exists(wanted) && node.path.text() == wanted.path.text();
    const bool one_negated = node.kind == Kind::kNot && node.end == left + 2;
    if (!one_negated || !is_exists(wanted)) return false;
    return query_[left + 1].path.text() == wanted.path.text() && negation_implies_exists(query_[left + 1]);
  }

  const Texts texts_;
  const std::vector<FilterNode>& query_;
  const std::vector<FilterNode>& filter_;
  std::vector<bool> known_;
};

}  // namespace

bool implies(const FilterTree& query, const FilterTree& filter) {
  if (query.nodes.size() * filter.nodes.size() > kMostPairs) return false;
  return Pairs(query, filter).run();
}

}  // namespace partita::query
