// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/geo.h"
#include "query/match/operator.h"

namespace partita::query {
namespace {

using Parse = Result<std::unique_ptr<const geo::Query>> (*)(bson::View operand);

/// Nothing may stand beside them, before or behind.
Result<Clause> parse_alone(const OperatorArgs& args, Parse parse) {
  if (args.siblings.count() > 1) return error(Code::BadValue, "can't parse extra field: ", (++args.siblings.begin())->name);
  if (!args.operand.is_document()) return error(Code::BadValue, "geometry must be an object");
  TRY(auto query, parse(args.operand.as_document()));
  return Clause{std::make_unique<GeoMatch>(std::move(query))};
}

Result<Clause> parse_within(const OperatorArgs& args) { return parse_alone(args, geo::parse_within); }
Result<Clause> parse_intersects(const OperatorArgs& args) { return parse_alone(args, geo::parse_intersects); }

const RegisterEntry<MatchOperator> kOperators[] = {
    MatchOperator{
        .name = "$geoWithin",
        .summary = "The place lies within a shape: in the plane for $box, $center and $polygon, else on the sphere.",
        .parse = parse_within,
        .bound = Bound::kPlace,
        .examples = {{"{a: {$geoWithin: {$box: [[0, 0], [5, 5]]}}}", "{a: [1, 2]}", "true"},
                     {"{a: {$geoWithin: {$box: [[0, 0], [5, 5]]}}}", "{a: [[9, 9], [1, 2]]}", "true"},
                     {"{a: {$geoWithin: {$center: [[0, 0], 2]}}}", "{a: {lng: 2, lat: 1}}", "false"},
                     {"{a: {$geoWithin: {$centerSphere: [[0, 0], 0.1]}}}", "{a: {type: 'Point', coordinates: [4, 4]}}", "true"},
                     {"{a: {$geoWithin: {$geometry: {type: 'Point', coordinates: [1, 2]}}}}", "{}", "error 2"},
                     {"{a: {$geoWithin: {}}}", "{}", "error 2"}}},
    MatchOperator{.name = "$within",
                  .summary = "The old name of $geoWithin.",
                  .parse = parse_within,
                  .bound = Bound::kPlace,
                  .examples = {{"{a: {$within: {$polygon: [[0, 0], [5, 0], [5, 5]]}}}", "{a: [4, 1]}", "true"}}},
    MatchOperator{
        .name = "$geoIntersects",
        .summary = "The place has a point in common with a shape on the sphere.",
        .parse = parse_intersects,
        .bound = Bound::kPlace,
        .examples = {{"{a: {$geoIntersects: {$geometry: {type: 'LineString', coordinates: [[0, 0], [4, 4]]}}}}",
                      "{a: {type: 'LineString', coordinates: [[0, 4], [4, 0]]}}", "true"},
                     {"{a: {$geoIntersects: {$geometry: {type: 'Point', coordinates: [1, 2]}}}}", "{a: [1, 2]}", "true"},
                     {"{a: {$geoIntersects: {$box: [[0, 0], [5, 5]]}}}", "{}", "error 2"}}},
};

}  // namespace
}  // namespace partita::query
