// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/choices.h"

#include "query/match/regex_match.h"

namespace partita::query {
namespace {

using Kind = FilterNode::Kind;

/// The only leaf below a node, through conjunctions of one.
const FilterNode* only_leaf(const std::vector<FilterNode>& nodes, std::size_t i) {
  while (nodes[i].kind == Kind::kAnd && i + 1 < nodes[i].end && nodes[i + 1].end == nodes[i].end) ++i;
  return nodes[i].is_leaf() ? &nodes[i] : nullptr;
}

/// A regular expression in a list is matched with, and not compared.
bool is_choice(const FilterNode* node) {
  if (node == nullptr || node->kind != Kind::kField) return false;
  const Bound bound = node->field_operator->bound;
  return bound == Bound::kRegex || (bound == Bound::kEqual && !node->operand.is(bson::Type::kRegex));
}

bson::Value as_operand(const FilterNode& node) {
  if (node.field_operator->bound == Bound::kEqual) return node.operand;
  return static_cast<const RegexMatch&>(*node.predicate).source();
}

/// What an $or chooses among, when there are several values and regular expressions, all of one path, and nothing else.
std::vector<const FilterNode*> choices_of(const std::vector<FilterNode>& nodes, std::size_t i) {
  std::vector<const FilterNode*> choices;
  for (std::size_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
    const FilterNode* leaf = only_leaf(nodes, child);
    if (!is_choice(leaf) || (!choices.empty() && !(leaf->path == choices.front()->path))) return {};
    choices.push_back(leaf);
  }
  return choices.size() > 1 ? choices : std::vector<const FilterNode*>{};
}

Result<FilterNode> join(const std::vector<const FilterNode*>& choices, FilterTree& filter,
                        const ExpressionContext& context) {
  filter.made.push_back(bson::Document::build([&](bson::Writer& out) {
    bson::ArrayWriter list = out.array("$in");
    for (const FilterNode* choice : choices) list.push(as_operand(*choice));
  }));
  const bson::Value operand = filter.made.back()["$in"];
  const FieldPath& path = choices.front()->path;
  const MatchOperator* in = Registry<MatchOperator>::find("$in");
  TRY(Clause clause, in->parse({.path = path.text(), .operand = operand, .siblings = {}, .context = context}));
  return FilterNode{.kind = Kind::kField,
                    .path = path,
                    .field_operator = in,
                    .operand = operand,
                    .predicate = std::move(clause.predicate)};
}

}  // namespace

void join_choices(FilterTree& filter, const ExpressionContext& context) {
  std::vector<FilterNode> old = std::move(filter.nodes);
  filter.nodes.clear();
  std::vector<std::uint32_t> places(old.size() + 1);
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < old.size();) {
    places[i] = static_cast<std::uint32_t>(filter.nodes.size());
    const std::uint32_t end = old[i].end;
    ends.push_back(end);
    const auto choices = old[i].kind == Kind::kOr ? choices_of(old, i) : std::vector<const FilterNode*>();
    Result<FilterNode> joined = choices.empty() ? Result<FilterNode>(FilterNode()) : join(choices, filter, context);
    const bool joins = !choices.empty() && joined.ok();  // What $in does not take stays an $or: {$eq: {$gt: 1}}.
    filter.nodes.push_back(joins ? std::move(*joined) : std::move(old[i]));
    i = joins ? end : i + 1;
  }
  places[old.size()] = static_cast<std::uint32_t>(filter.nodes.size());
  for (std::size_t i = 0; i < filter.nodes.size(); ++i) filter.nodes[i].end = places[ends[i]];
}

}  // namespace partita::query
