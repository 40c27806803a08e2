// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/key_bounds.h"

#include <algorithm>

#include "query/keys/bounds.h"
#include "query/keys/encode.h"
#include "query/shard_key/shard_key.h"
#include "wire/bson/compare.h"

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

Status refuse_index() { return refuse(Code{51174}, "The index chosen is not compatible with min/max"); }

/// Behind the hash of a record's key the value stands, so that a bound can end there only.
bool takes_bound(const query::IndexDescription::Field& field, bool is_last) {
  return field.form == query::KeyForm::kValue || field.form == query::KeyForm::kHash || (field.form == query::KeyForm::kHashAndValue && is_last);
}

/// Hashes are longs to who asks for them. The first that is not below the bound; nothing where all are.
std::optional<std::int64_t> first_hash(bson::Value bound) {
  const auto is_below = [&](std::int64_t hash) { return bson::compare(bson::Value::of(hash), bound) < 0; };
  if (is_below(INT64_MAX)) return std::nullopt;
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
  while (low < high) {
    const auto middle = static_cast<std::int64_t>((static_cast<__int128>(low) + high) >> 1);
    is_below(middle) ? low = middle + 1 : high = middle;
  }
  return low;
}

/// Appends where a bound cuts the hashes; false where it is none of them, so that the bounds of fields behind do not count.
bool append_hash(bson::Value bound, bson::Buffer& key) {
  const auto first = first_hash(bound);
  if (!first) {
    key.append(std::string(9, '\xFF'));  // Behind the last hash and whatever stands behind that.
    return false;
  }
  query::keys::append_hash(query::unshown_hash(*first), key);
  return bson::equal(bson::Value::of(*first), bound);
}

Result<std::string> encode_bound(bson::View bound, const query::IndexDescription& index, const query::Collation& collation, std::size_t fields) {
  bson::Buffer key;
  std::size_t i = 0;
  bool counts = true;
  for (const bson::Field& field : bound) {
    if (i == fields || index.fields[i].path != field.name || !takes_bound(index.fields[i], i + 1 == fields)) return refuse_index();
    const query::IndexDescription::Field& in_keys = index.fields[i++];
    if (in_keys.form != query::KeyForm::kValue) {
      counts = counts && append_hash(field.value, key);
      continue;
    }
    if (query::is_collated(field.value) && !agree(collation.get(), in_keys.collation)) return refuse_index();
    if (counts) query::keys::encode_or_null(field.value, in_keys.direction, key, nullptr, in_keys.collation);
  }
  if (i != 0 && i != fields) return refuse_index();
  return std::string(key.text());
}

/// Both name all fields of the index.
bool comes_before(bson::View min, bson::View max, const query::IndexDescription& index) {
  auto at = max.begin();
  for (std::size_t i = 0; const bson::Field& low : min) {
    const query::IndexDescription::Field& field = index.fields[i++];
    const auto order = bson::compare(low.value, at->value, field.collation);
    if (order != 0) return (order < 0) == (field.direction == query::keys::Direction::kAscending);
    ++at;
  }
  return false;
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
  Result<PlanChoice> made = PlanChoice::make(collection, kEverything.tree(), sort, hint);
  // A wildcard, or an index of some documents only, is none that leads to everything.
  if (made.status().code() == Code::NoQueryExecutionPlans) return refuse_index();
  TRY(PlanChoice choice, std::move(made));
  const std::size_t way = choice.request().hint.value();
  const bool walks = choice.winner().access == query::Plan::Access::kIndexScan && choice.winner().index == way;
  if (!walks) return refuse_index();
  const query::IndexDescription& index = choice.request().indexes[way];
  const std::size_t fields = known_fields(*collection, way, index);
  query::KeyRange range;
  TRY(range.lower, encode_bound(bounds.min, index, collation, fields));
  TRY(range.upper, encode_bound(bounds.max, index, collation, fields));
  if (!bounds.min.empty() && !bounds.max.empty() && !comes_before(bounds.min, bounds.max, index)) {
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
