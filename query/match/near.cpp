// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/geo.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

Result<Clause> parse_near(std::string_view name, const OperatorArgs& args) {
  TRY(auto query, geo::NearQuery::parse(args.path, name, args.operand, args.siblings));
  return Clause{std::make_unique<NearMatch>(std::move(query))};
}

MatchOperator near_operator(std::string_view name, std::string_view summary, ParseClause parse, std::vector<Example> examples) {
  return {.name = name, .summary = summary, .parse = parse, .takes_siblings = true, .orders = true, .examples = std::move(examples)};
}

const RegisterEntry<MatchOperator> kOperators[] = {
    near_operator("$near", "Documents by their distance from a point, on the sphere for GeoJSON and in the plane for a legacy pair.",
                  [](const OperatorArgs& args) { return parse_near("$near", args); },
                  {{"{a: {$near: [1, 2], $maxDistance: 2}}", "{a: [[9, 9], [1, 3]]}", "true"},
                   {"{a: {$near: {$geometry: {type: 'Point', coordinates: [1, 2]}, $minDistance: 1}}}", "{a: [1, 2]}", "false"},
                   {"{$nor: [{a: {$near: [1, 2]}}]}", "{}", "error 2"},
                   {"{a: {$near: [1, 2], $maxDistance: -1}}", "{}", "error 16896"}}),
    near_operator("$geoNear", "The old name of $near.", [](const OperatorArgs& args) { return parse_near("$geoNear", args); },
                  {{"{a: {$geoNear: [1, 2]}}", "{a: {x: 5, y: 5}}", "true"}}),
    near_operator("$nearSphere", "Documents by their distance from a point on the sphere.",
                  [](const OperatorArgs& args) { return parse_near("$nearSphere", args); },
                  {{"{a: {$nearSphere: [1, 2], $maxDistance: 0.1}}", "{a: [3, 2]}", "true"},
                   {"{a: {$nearSphere: [200, 2]}}", "{}", "error 2"}}),
};

}  // namespace

Result<SortSpec> parse_order(bson::View sort, const FilterTree& filter) {
  TRY(const SortSpec named, SortSpec::parse(sort, filter.collation, filter.text));
  return order_of(named, filter);
}

}  // namespace partita::query
