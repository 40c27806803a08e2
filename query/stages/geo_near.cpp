// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/geo_near.h"

#include "query/geo/near.h"
#include "query/match/geo.h"
#include "query/nested_writer.h"
#include "query/path/path_rules.h"
#include "query/stages/match.h"
#include "query/stages/row_builder.h"
#include "query/stages/sort.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// What the stage is told, checked.
struct Wish {
  Value near, key, query, distance_field, places_field;
  std::optional<double> least, most;
  double multiplier = 1;
  bool spherical = false;
};

Result<double> read_number(const bson::Field& field) {
  const auto number = field.value.to_double();
  if (!number) return error(Code::TypeMismatch, field.name, " must be a number");
  if (!(*number >= 0)) return error(Code::BadValue, field.name, " must be nonnegative");
  return *number;
}

Status refuse(std::string_view name) {
  if (name == "limit") return error(Code{50858}, "$geoNear no longer supports the 'limit' parameter. Use a $limit stage instead.");
  if (name == "num") return error(Code{50857}, "$geoNear no longer supports the 'num' parameter. Use a $limit stage instead.");
  if (name == "start") return error(Code{50856}, "$geoNear no longer supports the 'start' argument.");
  return error(Code{40415}, "BSON field '$geoNear.", name, "' is an unknown field.");
}

Status read(const bson::Field& field, Wish& wish) {
  const auto& [name, value] = field;
  if (name == "near") {
    wish.near = value;
  } else if (name == "key") {
    wish.key = value;
  } else if (name == "distanceField") {
    wish.distance_field = value;
  } else if (name == "includeLocs") {
    if (!value.is_string()) return error(Code{16607}, "$geoNear requires that 'includeLocs' option is a String");
    wish.places_field = value;
  } else if (name == "query") {
    if (!value.is_document()) return error(Code::TypeMismatch, "query must be an object");
    wish.query = value;
  } else if (name == "minDistance") {
    TRY(wish.least, read_number(field));
  } else if (name == "maxDistance") {
    TRY(wish.most, read_number(field));
  } else if (name == "distanceMultiplier") {
    TRY(wish.multiplier, read_number(field));
  } else if (name == "spherical") {
    wish.spherical = value.truthy();
  } else if (name != "uniqueDocs") {  // Of old; without effect since long.
    return refuse(name);
  }
  return {};
}

Status check_key(Value key) {
  if (!key.is_string()) {
    return error(Code::TypeMismatch, "$geoNear parameter 'key' must be of type string but found type: ", key.type_name());
  }
  if (key.as_string().empty()) return error(Code::BadValue, "$geoNear parameter 'key' cannot be the empty string");
  return {};
}

Result<Wish> parse_wish(Value specification) {
  if (!specification.is_document()) return error(Code{10065}, "invalid parameter: expected an object ($geoNear)");
  Wish wish;
  for (const bson::Field& field : specification.as_document()) CHECK_OK(read(field, wish));
  if (wish.near.missing()) return error(Code{5860400}, "$geoNear requires a 'near' argument");
  if (wish.near.is_string()) return error(Code{5860402}, "$geoNear requires a constant near argument");
  if (!wish.near.is_document() && !wish.near.is_array()) {
    return error(Code{5860401}, "$geoNear requires near argument to be a GeoJSON object or a legacy point(array)");
  }
  if (!wish.distance_field.is_string()) return error(Code{16606}, "$geoNear requires a 'distanceField' option as a String");
  CHECK_OK(check_field_path(wish.distance_field.as_string()));
  if (!wish.places_field.missing()) CHECK_OK(check_field_path(wish.places_field.as_string()));
  if (!wish.key.missing()) CHECK_OK(check_key(wish.key));
  return wish;
}

/// {$and: [query, {key: {$near: point, $maxDistance: 3}}]}
bson::Document filter_of(const Wish& wish) {
  return bson::Document::build([&](bson::Writer& out) {
    bson::ArrayWriter both = out.array("$and");
    if (!wish.query.missing()) both.push(wish.query);
    bson::Writer place = both.document();
    bson::Writer near = place.document(wish.key.as_string());
    near.add(wish.spherical ? "$nearSphere" : "$near", wish.near);
    if (wish.least) near.add("$minDistance", *wish.least);
    if (wish.most) near.add("$maxDistance", *wish.most);
  });
}

/// The document with a value under a path: what is no document on the way is replaced by one.
void set_at(View document, const FieldPath& path, Value value, bson::Buffer& out) {
  struct Open {
    View::Iterator at;
    bool placed = false;
  };
  std::vector<Open> open{{document.begin()}};
  NestedWriter writer(out);
  writer.open_root();
  const auto place = [&](Value there) {
    const std::string_view name = path[open.size() - 1].name;
    open.back().placed = true;
    if (open.size() == path.size()) return writer.add(name, value);
    writer.open(Type::kDocument, name);
    open.push_back({there.is_document() ? there.as_document().begin() : View().begin()});
  };
  while (!open.empty()) {
    Open& level = open.back();
    if (level.at == std::default_sentinel) {
      if (!level.placed) {
        place({});
      } else {
        writer.close();
        open.pop_back();
      }
      continue;
    }
    const bson::Field field = *level.at;
    ++level.at;
    if (!level.placed && field.name == path[open.size() - 1].name) {
      place(field.value);
    } else {
      writer.add(field.name, field.value);
    }
  }
}

/// What is told of each document.
struct Told {
  std::shared_ptr<const geo::NearQuery> near;
  FieldPath distance;
  std::optional<FieldPath> place;
  double multiplier = 1;
};

class TellDistance : public RecordSource {
 public:
  TellDistance(const Told& told, Source input) : told_(told), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    CHECK_OK(input_->pull(out));
    for (Row& row : out.rows) {
      const auto nearest = told_.near->nearest(row.document);
      if (!nearest) continue;
      row.document = with(row.document, told_.distance, Value::of(nearest->distance * told_.multiplier), out.arena);
      if (told_.place) row.document = with(row.document, *told_.place, nearest->place, out.arena);
    }
    return made_batch(out.arena.reserved());
  }

 private:
  static View with(View document, const FieldPath& path, Value value, Arena& arena) {
    bson::Buffer& built = arena.scratch();
    set_at(document, path, value, built);
    return View::trusted(arena.copy(built.bytes()).data());
  }

  const Told& told_;
  Source input_;
};

class TellDistancePlan : public StagePlan {
 public:
  explicit TellDistancePlan(Told told) : told_(std::move(told)) {}
  bool keeps_all_rows() const override { return true; }
  Source open(Source input, Role) const override { return std::make_unique<TellDistance>(told_, std::move(input)); }

 private:
  Told told_;
};

Result<std::vector<StagePart>> parse(const StageArgs& args) {
  TRY(const Wish wish, parse_wish(args.specification));
  if (wish.key.missing()) return error(Code::IndexNotFound, "$geoNear requires a 2d or 2dsphere index, but none were found");
  const bson::Document filter = filter_of(wish);
  TRY(Matcher matcher, Matcher::parse(filter.view(), args.context, FilterUse::kQuery));
  const auto near = matcher.tree().near;
  Told told{.near = near, .distance = FieldPath(wish.distance_field.as_string()), .place = {}, .multiplier = wish.multiplier};
  if (!wish.places_field.missing()) told.place = FieldPath(wish.places_field.as_string());
  std::vector<StagePart> parts;
  parts.push_back({Split::kEach, std::make_unique<MatchPlan>(std::move(matcher))});
  parts.push_back({Split::kOrder, std::make_unique<SortPlan>(SortSpec::by_distance(near))});
  parts.push_back({Split::kEach, std::make_unique<TellDistancePlan>(std::move(told))});
  return parts;
}

const RegisterEntry<StageKind> kGeoNear{{
    .name = "$geoNear",
    .summary = "Documents by their distance from a point, the nearest first, each with that distance.",
    .parse_parts = parse,
    .examples = {{"{$geoNear: {near: [0, 0], key: 'a', distanceField: 'd'}}", "[{a: [3, 4]}, {a: [1, 0]}, {}]",
                  "[{a: [1, 0], d: 1.0}, {a: [3, 4], d: 5.0}]"},
                 {"{$geoNear: {near: [0, 0], key: 'a', distanceField: 'd.e', includeLocs: 'p', maxDistance: 5}}",
                  "[{a: [[3, 4], [9, 9]], d: 1}, {a: [6, 0]}]", "[{a: [[3, 4], [9, 9]], d: {e: 5.0}, p: [3, 4]}]"},
                 {"{$geoNear: {near: [0, 0], key: 'a', distanceField: 'd', query: {b: 1}, distanceMultiplier: 2}}",
                  "[{a: [3, 4], b: 1}, {a: [1, 0]}]", "[{a: [3, 4], b: 1, d: 10.0}]"},
                 {"{$geoNear: {near: [0, 0], key: 'a'}}", "[]", "error 16606"},
                 {"{$geoNear: {near: 1, key: 'a', distanceField: 'd'}}", "[]", "error 5860401"},
                 {"{$geoNear: {near: [0, 0], key: 'a', distanceField: 'd', limit: 1}}", "[]", "error 50858"}},
}};

}  // namespace

bool GeoNearKey::is_missing(View stage) {
  return is_geo_near(stage) && stage.begin()->value.is_document() && !stage.begin()->value.as_document().has("key");
}

bson::Document GeoNearKey::add(View stages, std::string_view path) {
  return bson::Document::build([&](bson::Writer& out) {
    std::uint32_t place = 0;
    for (const bson::Field& stage : stages) {
      if (place++ > 0) {
        out.add(stage);
        continue;
      }
      bson::Writer first = out.document(stage.name);
      bson::Writer specification = first.document("$geoNear");
      for (const bson::Field& field : stage.value.as_document().begin()->value.as_document()) specification.add(field);
      specification.add("key", path);
    }
  });
}

bson::Document GeoNearKey::written_out(View stages, View filter) {
  const bool geo_near = !stages.empty() && is_geo_near(stages.begin()->value.as_document());
  if (!geo_near) return bson::Document(stages);
  bson::Buffer built;
  {
    bson::ArrayWriter out(built);
    out.document().add("$match", filter);
    {
      bson::Writer sort = out.document();
      sort.document("$sort").document("distance").add("$meta", "geoNearDistance");
    }
    for (const bson::Field& stage : stages) out.push(stage.value);
  }
  return bson::Document(View::trusted(built.data()));
}

}  // namespace partita::query
