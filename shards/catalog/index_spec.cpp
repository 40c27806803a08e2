// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "shards/catalog/collection.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

constexpr std::size_t kMaxFields = 32;
constexpr std::size_t kMaxPathParts = 255;

Status cannot(std::string_view why) { return error(Code::CannotCreateIndex, why); }

/// What a DBRef consists of.
bool is_reference_field(std::string_view name) { return name == "$ref" || name == "$id" || name == "$db"; }

Result<IndexSpec::Part> parse_part(std::string_view path, bson::Value direction) {
  if (path.empty()) return cannot("Index keys cannot be an empty field.");
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos) {
    return cannot("Index keys cannot contain an empty field.");
  }
  if (path == "$**" || path.ends_with(".$**")) return cannot("wildcard indexes are not supported");
  if (path == "_fts") return cannot("Index key contains an illegal field name: '_fts'");
  const query::FieldPath names(path);
  if (names.size() > kMaxPathParts) return cannot("Index key path is too deep.");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name.front() == '$' && (i == 0 || !is_reference_field(names[i].name))) {
      return cannot("Index key contains an illegal field name: field name starts with '$'.");
    }
  }
  if (direction.is_string()) {
    return cannot(detail::join("Unknown index plugin '", direction.as_string(), "'"));
  }
  if (!direction.is_number()) {
    return cannot(detail::join("Values in v:2 index key pattern cannot be of type ", direction.type_name(),
                               ". Only numbers > 0, numbers < 0, and strings are allowed."));
  }
  const double sign = direction.to_double().value_or(0);
  if (std::isnan(sign)) return cannot("Values in the index key pattern cannot be NaN.");
  if (!(sign < 0 || sign > 0)) {
    return cannot("Values in the index key pattern cannot be 0.");
  }
  return IndexSpec::Part{std::string(path), sign < 0};
}

Status read_option(IndexSpec& spec, std::string_view name, bson::Value value) {
  const auto flag = [&](bool& to) -> Status {
    if (!value.is_bool() && !value.is_number()) {
      return error(Code::TypeMismatch, "The field '", name, "' has value ", bson::to_shell(value), ", which is not convertible to bool");
    }
    to = value.truthy();
    return {};
  };
  if (name == "unique") return flag(spec.unique);
  if (name == "sparse") return flag(spec.sparse);
  if (name == "background") return {};  // Taken since ever; every build lets readers go on.
  if (name == "v") {
    if (!value.is_number()) return error(Code::TypeMismatch, "The field 'v' must be a number, but got ", value.type_name());
    const std::int64_t version = value.exact_int64().value_or(0);
    if (version != 1 && version != 2) {
      return cannot(detail::join("Invalid index specification; cannot create an index with v=", bson::to_shell(value)));
    }
    spec.version = static_cast<std::int32_t>(version);  // Shown again, and the same here.
    return {};
  }
  constexpr std::string_view kLater[] = {"partialFilterExpression", "expireAfterSeconds", "collation", "hidden", "weights",
                                         "default_language", "language_override", "wildcardProjection", "2dsphereIndexVersion",
                                         "bits", "min", "max", "textIndexVersion", "storageEngine", "clustered"};
  if (std::ranges::find(kLater, name) != std::end(kLater)) {
    return error(Code::CannotCreateIndex, "the index option '", name, "' is not supported");
  }
  return error(Code::InvalidIndexSpecificationOption, "The field '", name, "' is not valid for an index specification");
}

/// {_id: 1} is there already, {_id: -1} cannot be: no other index bears the name of the first, and it takes no options.
Status check_id_index(const IndexSpec& spec, bson::View key, bson::View definition) {
  const bool on_id = key.count() == 1 && key.has("_id");
  const double direction = on_id ? std::trunc(key["_id"].to_double().value_or(0)) : 0;
  if (std::abs(direction) == 1 && !spec.is_id_key()) {
    return error(Code::BadValue, "The field 'key' for an _id index must be {_id: 1}, but got ", bson::to_shell(key));
  }
  if (!spec.is_id_key()) {
    if (spec.name != "_id_") return {};
    return error(Code::BadValue, "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, "
                 "found key: ", bson::to_shell(key));
  }
  constexpr std::string_view kTaken[] = {"key", "name", "ns", "v"};
  for (const auto& [option, value] : definition) {
    if (std::ranges::find(kTaken, option) != std::end(kTaken)) continue;
    return error(Code::InvalidIndexSpecificationOption, "The field '", option, "' is not valid for an _id index "
                 "specification. Specification: ", bson::to_shell(definition));
  }
  return {};
}

bson::Document write_definition(const IndexSpec& spec, bson::View key) {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("v", spec.version);
    out.add("key", key);
    out.add("name", spec.name);
    if (spec.unique) out.add("unique", true);
    if (spec.sparse) out.add("sparse", true);
  });
}

}  // namespace

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

Result<IndexSpec> IndexSpec::parse(bson::View definition) {
  IndexSpec spec;
  const bson::Value key = definition["key"];
  if (!key.is_document()) {
    if (key.missing()) return error(Code::FailedToParse, "The 'key' field is a required property of an index specification");
    return error(Code::TypeMismatch, "The field 'key' must be an object, but got ", key.type_name());
  }
  if (key.as_document().empty()) return cannot("Index keys cannot be empty.");
  std::vector<query::IndexField> fields;
  for (const auto& [path, direction] : key.as_document()) {
    TRY(Part part, parse_part(path, direction));
    fields.push_back({query::FieldPath(path), part.descending ? query::keys::Direction::kDescending
                                                              : query::keys::Direction::kAscending});
    spec.parts.push_back(std::move(part));
  }
  if (spec.parts.size() > kMaxFields) return error(Code{13103}, "too many compound keys");
  const bson::Value name = definition["name"];
  if (!name.missing() && !name.is_string()) {
    return error(Code::TypeMismatch, "The field 'name' must be a string, but got ", name.type_name());
  }
  spec.name = name.missing() ? default_index_name(key.as_document()) : std::string(name.as_string());
  if (spec.name.empty()) return cannot("index name cannot be empty");
  if (spec.name.find('\0') != std::string::npos) return cannot("index name cannot contain NUL bytes");
  if (spec.name == "*") return error(Code::BadValue, "The index name '*' is not valid.");
  for (const auto& [option, value] : definition) {
    if (option != "key" && option != "name" && option != "ns") CHECK_OK(read_option(spec, option, value));
  }
  spec.keys = std::make_shared<const query::IndexKeyMaker>(std::move(fields), spec.sparse);
  spec.definition = write_definition(spec, key.as_document());
  CHECK_OK(check_id_index(spec, key.as_document(), definition));
  return spec;
}

}  // namespace partita::shards
