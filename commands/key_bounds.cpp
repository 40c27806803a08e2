// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/key_bounds.h"

#include <algorithm>

#include "query/keys/encode.h"

namespace partita::commands {
namespace {

Status refuse(Code code, std::string_view why) {
  return error(code, "error processing query: planner returned error :: caused by :: ", why);
}

bool same_names(bson::View a, bson::View b) {
  auto other = b.begin();
  for (const bson::Field& field : a) {
    if (other == b.end() || other->name != field.name) return false;
    ++other;
  }
  return other == b.end();
}

Status check_hint_of_bounds(bson::Value hint) {
  const bool none = hint.missing() || (hint.is_document() && hint.as_document().empty());
  if (none) return refuse(Code{51173}, "When using min()/max() a hint of which index to use must be provided");
  if (!hint.is_document() || !hint.as_document().has("$natural")) return {};
  return refuse(Code::NoQueryExecutionPlans, "min and max are incompatible with $natural");
}

/// The fields that a client knows of the index: records of a divided collection have the _id behind them.
std::size_t known_fields(const shards::Collection& collection, std::size_t way, const query::IndexDescription& index) {
  return way == 0 && collection.sharding != nullptr ? collection.sharding->key.fields().size() : index.fields.size();
}

Result<std::string> encode_bound(bson::View bound, const query::IndexDescription& index, const query::Collation& collation, std::size_t fields) {
  bson::Buffer key;
  std::size_t i = 0;
  for (const bson::Field& field : bound) {
    const bool fits = i < fields && index.fields[i].path == field.name && index.fields[i].form == query::KeyForm::kValue;
    const bool means_the_same = fits && (!query::is_collated(field.value) || agree(collation.get(), index.fields[i].collation));
    if (!means_the_same) return refuse(Code{51174}, "The index chosen is not compatible with min/max");
    query::keys::encode_or_null(field.value, index.fields[i].direction, key, nullptr, index.fields[i].collation);
    ++i;
  }
  if (i != 0 && i != fields) return refuse(Code{51174}, "The index chosen is not compatible with min/max");
  return std::string(key.text());
}

}  // namespace

Status KeyBounds::check() const {
  if (min.empty() || max.empty() || same_names(min, max)) return {};
  return error(Code{51176}, "min and max must have the same field names");
}

Result<PlanChoice> choose_between(const std::shared_ptr<const shards::Collection>& collection, const KeyBounds& bounds,
                                  const query::Collation& collation, const query::SortSpec& sort, bson::Value hint) {
  CHECK_OK(check_hint_of_bounds(hint));
  static const query::Matcher kEverything = *query::Matcher::parse({});
  TRY(PlanChoice choice, PlanChoice::make(collection, kEverything.tree(), sort, hint));
  const std::size_t way = choice.request().hint.value();
  // A wildcard, or an index of some documents only, is none that leads to everything.
  const bool walks = choice.winner().access == query::Plan::Access::kIndexScan && choice.winner().index == way;
  if (!walks) return refuse(Code{51174}, "The index chosen is not compatible with min/max");
  const query::IndexDescription& index = choice.request().indexes[way];
  const std::size_t fields = known_fields(*collection, way, index);
  query::KeyRange range;
  TRY(range.lower, encode_bound(bounds.min, index, collation, fields));
  TRY(range.upper, encode_bound(bounds.max, index, collation, fields));
  if (!bounds.min.empty() && !bounds.max.empty() && range.lower >= range.upper) {
    return refuse(Code{51175}, "The value provided for min() does not come before the value provided for max() in the hinted index");
  }
  choice.limit_to(std::move(range), true);
  return choice;
}

Result<Plan> choose_bounded_plan(const std::shared_ptr<const shards::Collection>& collection, const KeyBounds& bounds,
                                 const query::Collation& collation, const query::SortSpec& sort, bson::Value hint) {
  TRY(const PlanChoice choice, choose_between(collection, bounds, collation, sort, hint));
  return choice.plan();
}

}  // namespace partita::commands
