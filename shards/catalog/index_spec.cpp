// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "shards/catalog/geo_index.h"
#include "shards/catalog/index_options.h"
#include "shards/catalog/text_definition.h"
#include "shards/catalog/wildcard_definition.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

constexpr std::size_t kMaxFields = 32;
constexpr std::size_t kMaxPathParts = 255;

Status cannot(std::string_view why) { return error(Code::CannotCreateIndex, why); }

/// What a DBRef consists of.
bool is_reference_field(std::string_view name) { return name == "$ref" || name == "$id" || name == "$db"; }

Status check_plugin(std::string_view name) {
  constexpr std::string_view kLater[] = {"2dsphere_bucket", "columnstore"};
  if (std::ranges::find(kLater, name) != std::end(kLater)) {
    return error(Code::CannotCreateIndex, "indexes of the kind '", name, "' are not supported");
  }
  if (name.empty()) return cannot("Values in the index key pattern cannot be empty strings");
  if (name == "wildcard") return cannot("The key pattern value for an 'wildcard' index must be a non-zero number, not a string.");
  return error(Code::CannotCreateIndex, "Unknown index plugin '", name, "'");
}

Result<IndexSpec::Part> parse_part(std::string_view path, bson::Value direction) {
  const bool wildcard = is_wildcard(path);
  const auto place = direction.is_string() ? place_form(direction.as_string()) : std::nullopt;
  if (!wildcard || place || (direction.is_string() && direction.as_string() == "hashed")) CHECK_OK(check_index_path(path));
  IndexSpec::Part part{std::string(path), false, wildcard ? query::KeyForm::kPathAndValue : query::KeyForm::kValue};
  if (place) {
    part.form = *place;
    return part;
  }
  if (direction.is_string()) {
    if (direction.as_string() != "hashed") return check_plugin(direction.as_string());
    part.form = query::KeyForm::kHash;
    return part;
  }
  if (!direction.is_number()) {
    return cannot(detail::join("Values in v:2 index key pattern cannot be of type ", direction.type_name(),
                               ". Only numbers > 0, numbers < 0, and strings are allowed."));
  }
  const double sign = direction.to_double().value_or(0);
  if (std::isnan(sign)) return cannot("Values in the index key pattern cannot be NaN.");
  if (!(sign < 0 || sign > 0)) return cannot("Values in the index key pattern cannot be 0.");
  part.descending = sign < 0;
  return part;
}

Status parse_key(IndexSpec& spec, bson::View key) {
  if (key.empty()) return cannot("Index keys cannot be empty.");
  for (const auto& [path, direction] : key) {
    if (is_text_key(key) && path == kTextFieldEnd) continue;
    if (is_text_key(key) && path == kTextField) {
      spec.parts.push_back({.path = std::string(path), .form = query::KeyForm::kText});
      continue;
    }
    TRY(IndexSpec::Part part, parse_part(path, direction));
    spec.parts.push_back(std::move(part));
  }
  if (spec.parts.size() > kMaxFields) return error(Code{13103}, "too many compound keys");
  if (spec.has(query::KeyForm::kPathAndValue)) return check_wildcard_key(spec);
  CHECK_OK(check_places(spec));
  const auto hashed = std::ranges::count(spec.parts, query::KeyForm::kHash, &IndexSpec::Part::form);
  if (hashed > 1) {
    return error(Code{31303}, "A maximum of one index field is allowed to be hashed but found ", hashed, " for 'key' ", bson::to_shell(key));
  }
  return {};
}

Status parse_name(IndexSpec& spec, bson::Value name) {
  if (name.missing()) return error(Code::FailedToParse, "The 'name' field is a required property of an index specification");
  if (!name.is_string()) return error(Code::TypeMismatch, "The field 'name' must be a string, but got ", name.type_name());
  spec.name = name.as_string();
  if (spec.name.empty()) return cannot("index name cannot be empty");
  if (spec.name.find('\0') != std::string::npos) return cannot("index name cannot contain NUL bytes");
  if (spec.name == "*") return error(Code::BadValue, "The index name '*' is not valid.");
  return {};
}

/// Meant for the index that every collection has, whichever way it goes.
bool is_on_id(bson::View key) {
  return key.count() == 1 && key.has("_id") && std::abs(std::trunc(key["_id"].to_double().value_or(0))) == 1;
}

/// It takes no options, and these are looked at before what they say.
Status check_id_options(bson::View key, bson::View definition) {
  if (!is_on_id(key)) return {};
  // The last two are not for any index like this one.
  constexpr std::string_view kTaken[] = {"key", "name", "ns", "v", "collation", "weights", "wildcardProjection"};
  for (const auto& [option, value] : definition) {
    if (std::ranges::find(kTaken, option) != std::end(kTaken)) continue;
    return error(Code::InvalidIndexSpecificationOption, "The field '", option, "' is not valid for an _id index "
                 "specification. Specification: ", bson::to_shell(definition));
  }
  return {};
}

/// {_id: 1} is there already, {_id: -1} cannot be, and no other index bears the name of the first.
Status check_id_index(const IndexSpec& spec, bson::View key) {
  if (spec.is_id_key()) return {};
  if (is_on_id(key)) return error(Code::BadValue, "The field 'key' for an _id index must be {_id: 1}, but got ", bson::to_shell(key));
  if (spec.name != "_id_") return {};
  return error(Code::BadValue, "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, "
               "found key: ", bson::to_shell(key));
}

bson::Document write_definition(const IndexSpec& spec, bson::View definition) {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("v", spec.version);
    out.add("key", definition["key"]);
    out.add("name", spec.name);
    write_index_options(spec, definition, out);
  });
}

Result<std::shared_ptr<const query::IndexKeyMaker>> make_keys(const IndexSpec& spec, IndexOptions options, bson::View definition) {
  std::vector<query::IndexField> fields;
  for (const IndexSpec::Part& part : spec.parts) fields.push_back({query::FieldPath(part.path), part.direction(), part.form});
  std::optional<query::WildcardScope> scope;
  if (spec.has(query::KeyForm::kPathAndValue)) {
    TRY(scope, wildcard_scope(spec, options.wildcard_projection));
  }
  TRY(const std::optional<query::GeoIndexOptions> geo, read_geo_options(spec, definition));
  std::shared_ptr<const query::text::Spec> texts;
  if (spec.has(query::KeyForm::kText)) {
    TRY(query::text::Spec parsed, query::text::Spec::parse(definition));
    texts = std::make_shared<const query::text::Spec>(std::move(parsed));
  }
  return std::make_shared<const query::IndexKeyMaker>(std::move(fields), spec.sparse, std::move(options.filter), std::move(scope), geo,
                                                      std::move(texts), spec.collation);
}

}  // namespace

Status check_index_path(std::string_view path) {
  if (path.empty()) return cannot("Index keys cannot be an empty field.");
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos) {
    return cannot("Index keys cannot contain an empty field.");
  }
  if (path == "_fts") return cannot("Index key contains an illegal field name: '_fts'");
  const query::FieldPath names(path);
  if (names.size() > kMaxPathParts) return cannot("Index key path is too deep.");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name.front() == '$' && (i == 0 || !is_reference_field(names[i].name))) {
      return cannot("Index key contains an illegal field name: field name starts with '$'.");
    }
  }
  return {};
}

std::string default_index_name(bson::View key) {
  std::string name;
  for (const auto& [path, direction] : key) {
    if (!name.empty()) name += '_';
    name.append(path).append(1, '_');
    name += direction.is_string() ? std::string(direction.as_string()) : bson::to_json(direction);
  }
  return name;
}

bool IndexSpec::is_id_key() const {
  return parts.size() == 1 && parts[0].path == "_id" && definition["key"].as_document()["_id"].exact_int64() == 1;
}

bool IndexSpec::has(query::KeyForm form) const { return std::ranges::find(parts, form, &Part::form) != parts.end(); }

bool IndexSpec::is_equivalent(const IndexSpec& other) const {
  // Compared as values: 1, 1.0 and NumberLong(1) ask for the same.
  const auto same = [&](std::string_view field) {
    const bson::Value one = definition[field];
    const bson::Value another = other.definition[field];
    return one.missing() || another.missing() ? one.missing() == another.missing() : bson::equal(one, another);
  };
  return same("key") && unique == other.unique && sparse == other.sparse && agree(collation, other.collation) && same("partialFilterExpression") && same("wildcardProjection") &&
         same("weights") && same("default_language") && same("language_override");
}

Result<IndexSpec> IndexSpec::parse(bson::View definition, const query::Collation& inherited) {
  const bson::Value key = definition["key"];
  if (!key.is_document()) {
    if (key.missing()) return error(Code::FailedToParse, "The 'key' field is a required property of an index specification");
    return error(Code::TypeMismatch, "The field 'key' must be an object, but got ", key.type_name());
  }
  if (!is_text_key(key.as_document())) return read(definition, inherited);
  TRY(const bson::Document settled, text_definition(definition));
  return read(settled.view(), inherited);
}

Result<IndexSpec> IndexSpec::read(bson::View definition, const query::Collation& inherited) {
  IndexSpec spec;
  spec.collation = inherited;
  const bson::Value key = definition["key"];
  CHECK_OK(parse_key(spec, key.as_document()));
  CHECK_OK(parse_name(spec, definition["name"]));
  CHECK_OK(check_id_options(key.as_document(), definition));
  IndexOptions options;
  CHECK_OK(options.read(spec, definition));
  CHECK_OK(options.check(spec, definition));
  TRY(spec.keys, make_keys(spec, std::move(options), definition));
  spec.definition = write_definition(spec, definition);
  CHECK_OK(check_id_index(spec, key.as_document()));
  return spec;
}

}  // namespace partita::shards
