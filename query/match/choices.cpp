// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/choices.h"

#include <algorithm>

#include "query/match/regex_match.h"
#include "query/match/unnested.h"

namespace partita::query {
namespace {

using Kind = FilterNode::Kind;
using Choices = std::vector<std::uint32_t>;

bson::Value as_operand(const FilterNode& node, const Collator* collation) {
  switch (node.field_operator->bound) {
    case Bound::kIn:
      return only_choice(node, collation);
    case Bound::kEqual:
      return node.operand;
    default:
      return static_cast<const RegexMatch&>(*node.predicate).source();
  }
}

Result<FilterNode> join(const UnnestedFilter& unnested, const Choices& choices, FilterTree& filter, const ExpressionContext& context) {
  const auto node_of = [&](std::uint32_t choice) -> const FilterNode& { return filter.nodes[unnested.clauses[choice].node]; };
  filter.made.push_back(bson::Document::build([&](bson::Writer& out) {
    bson::ArrayWriter list = out.array("$in");
    for (const std::uint32_t choice : choices) list.push(as_operand(node_of(choice), filter.collation.get()));
  }));
  const bson::Value operand = filter.made.back()["$in"];
  const FieldPath& path = node_of(choices.front()).path;
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
  if (std::ranges::find(filter.nodes, Kind::kOr, &FilterNode::kind) == filter.nodes.end()) return;
  std::vector<FilterNode> joined(filter.nodes.size());  // By the node that it is instead of.
  const UnnestedFilter unnested = unnest(filter);
  for (const UnnestedClause& clause : unnested.clauses) {
    if (!clause.is_made_of_or()) continue;
    Result<FilterNode> in = join(unnested, clause.within, filter, context);
    if (in.ok()) joined[clause.node] = std::move(*in);  // What $in does not take stays an $or: {$eq: {$gt: 1}}.
  }

  std::vector<FilterNode> old = std::move(filter.nodes);
  filter.nodes.clear();
  std::vector<std::uint32_t> places(old.size() + 1);
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < old.size();) {
    places[i] = static_cast<std::uint32_t>(filter.nodes.size());
    const std::uint32_t end = old[i].end;
    ends.push_back(end);
    const bool joins = joined[i].is_leaf();
    filter.nodes.push_back(std::move(joins ? joined[i] : old[i]));
    i = joins ? end : i + 1;
  }
  places[old.size()] = static_cast<std::uint32_t>(filter.nodes.size());
  for (std::size_t i = 0; i < filter.nodes.size(); ++i) filter.nodes[i].end = places[ends[i]];
}

}  // namespace partita::query
