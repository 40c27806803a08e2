// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/index_options.h"

#include <algorithm>
#include <cmath>

#include "query/expressions/compiled_expression.h"
#include "shards/catalog/geo_index.h"
#include "shards/catalog/text_definition.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

using bson::Type;
using bson::Value;
using query::FilterNode;

Status cannot(std::string_view why) { return error(Code::CannotCreateIndex, why); }

/// True and false are numbers too, since ever.
Result<bool> read_flag(std::string_view name, Value value) {
  if (value.is_bool() || value.is_number()) return value.truthy();
  return error(Code::TypeMismatch, "The field '", name, "' has value ", bson::to_shell(value), ", which is not convertible to bool");
}

Result<bool> read_hidden(Value value) {
  if (value.is_bool()) return value.truthy();
  return error(Code::TypeMismatch, "The field 'hidden' must be a bool, but got ", value.type_name());
}

Result<std::int32_t> read_version(Value value) {
  if (!value.is_number()) return error(Code::TypeMismatch, "The field 'v' must be a number, but got ", value.type_name());
  const std::int64_t version = value.exact_int64().value_or(0);
  if (version == 1 || version == 2) return static_cast<std::int32_t>(version);  // Shown again, and the same here.
  return cannot(detail::join("Invalid index specification; cannot create an index with v=", bson::to_shell(value)));
}

/// Fractions are cut off, and what is no number lasts as long as anything can, as it does in MongoDB.
Result<std::int32_t> read_seconds(Value value) {
  constexpr std::string_view kOption = "TTL index 'expireAfterSeconds' option ";
  if (!value.is_number()) {
    return error(Code::CannotCreateIndex, kOption, "must be numeric, but received a type of '", value.type_name(), "'");
  }
  const double seconds = value.to_double().value_or(0);
  if (std::isnan(seconds)) return INT32_MAX;
  if (seconds < 0) return error(Code::CannotCreateIndex, kOption, "cannot be less than 0: ", bson::to_shell(value));
  if (seconds >= static_cast<double>(INT32_MAX) + 1) {
    return error(Code::CannotCreateIndex, kOption, "must be within an acceptable range, try a lower number: ", bson::to_shell(value));
  }
  return static_cast<std::int32_t>(seconds);
}

/// What the planner can tell to be implied by a query.
Status check_filter(const query::FilterTree& filter) {
  constexpr std::string_view kTaken[] = {"$eq", "$lt", "$lte", "$gt", "$gte", "$exists", "$type", "$in", "$all", "$geoWithin", "$geoIntersects", "$within"};
  for (const FilterNode& node : filter.nodes) {
    if (node.kind == FilterNode::Kind::kAnd || node.kind == FilterNode::Kind::kOr) continue;
    const bool taken = node.kind == FilterNode::Kind::kField && std::ranges::find(kTaken, node.field_operator->name) != std::end(kTaken);
    if (taken) continue;
    std::string_view what = node.kind == FilterNode::Kind::kNor ? "$nor" : node.is_elem() ? "$elemMatch" : "$not";
    if (node.kind == FilterNode::Kind::kField) what = node.field_operator->name;
    return error(Code::CannotCreateIndex, "Expression not supported in partial index: ", what);
  }
  return {};
}

Result<query::Matcher> read_filter(Value value, const query::Collation& collation) {
  if (!value.is_document()) {
    return error(Code::TypeMismatch, "The field 'partialFilterExpression' must be an object, but got ", value.type_name());
  }
  for (const bson::Field& field : value.as_document()) {
    const bool needs_more = field.name == "$expr" || field.name == "$jsonSchema";
    if (needs_more) return error(Code::QueryFeatureNotAllowed, field.name, " is not allowed in this context");
    if (field.name == "$where" || field.name == "$text") return error(Code::BadValue, field.name, " is not allowed in this context");
  }
  TRY(query::Matcher filter, query::Matcher::parse(value.as_document(), {.collation = collation}));
  CHECK_OK(check_asks_of_values(filter.tree()));
  CHECK_OK(check_filter(filter.tree()));
  return filter;
}

Result<bson::View> read_wildcard_projection(Value value) {
  if (!value.is_document()) {
    return error(Code::TypeMismatch, "The field 'wildcardProjection' must be a non-empty object, but got ", value.type_name());
  }
  if (value.as_document().empty()) return error(Code::FailedToParse, "The 'wildcardProjection' field can't be an empty object");
  return value.as_document();
}

/// The order of bytes is the only one that there is.
Result<query::Collation> read_collation(Value value) {
  if (!value.is_document()) return error(Code::TypeMismatch, "The field 'collation' must be an object, but got ", value.type_name());
  if (value.as_document().empty()) return error(Code::BadValue, "The field 'collation' cannot be an empty object.");
  return query::Collator::make(value.as_document());
}

Status not_supported(IndexOptions&, IndexSpec&, std::string_view name, Value) {
  return error(Code::CannotCreateIndex, "the index option '", name, "' is not supported");
}

Status read_engine(IndexOptions&, IndexSpec&, std::string_view, Value value) {
  if (!value.is_document()) return cannot("\"storageEngine\" options must be a document if present");
  if (value.as_document().empty()) return cannot("Empty \"storageEngine\" options are invalid. Please remove the field or include valid options.");
  return check_storage_engine(value.as_document());
}

Status read_elsewhere(IndexOptions&, IndexSpec&, std::string_view, Value) { return {}; }

/// Taken since ever; every build lets readers and writers go on.
Status read_vain(IndexOptions&, IndexSpec&, std::string_view name, Value value) { return read_flag(name, value).status(); }

template <bool IndexSpec::*kFlag>
Status read_into(IndexOptions&, IndexSpec& spec, std::string_view name, Value value) {
  TRY(spec.*kFlag, read_flag(name, value));
  return {};
}

struct Option {
  std::string_view name;
  Status (*read)(IndexOptions& options, IndexSpec& spec, std::string_view name, Value value);
};

constexpr Option kOptions[] = {
    {"unique", read_into<&IndexSpec::unique>},
    {"sparse", read_into<&IndexSpec::sparse>},
    {"prepareUnique", read_into<&IndexSpec::prepare_unique>},
    {"hidden",
     [](IndexOptions&, IndexSpec& spec, std::string_view, Value value) -> Status {
       TRY(spec.hidden, read_hidden(value));
       return {};
     }},
    {"v",
     [](IndexOptions&, IndexSpec& spec, std::string_view, Value value) -> Status {
       TRY(spec.version, read_version(value));
       return {};
     }},
    {"expireAfterSeconds",
     [](IndexOptions&, IndexSpec& spec, std::string_view, Value value) -> Status {
       TRY(spec.expire_after, read_seconds(value));
       return {};
     }},
    {"partialFilterExpression",
     [](IndexOptions& options, IndexSpec& spec, std::string_view, Value value) -> Status {
       TRY(query::Matcher filter, read_filter(value, spec.collation));
       options.filter.emplace(std::move(filter));
       return {};
     }},
    {"wildcardProjection",
     [](IndexOptions& options, IndexSpec&, std::string_view, Value value) -> Status {
       TRY(options.wildcard_projection, read_wildcard_projection(value));
       return {};
     }},
    {"collation", read_elsewhere},  // Before all others: filters compare by it.
    {"background", read_vain},
    {"dropDups", read_vain},
    {"storageEngine", read_engine},
    {"clustered", not_supported},
};

const Option* find_option(std::string_view name) {
  const auto* const found = std::ranges::find(kOptions, name, &Option::name);
  return found == std::end(kOptions) ? nullptr : found;
}

Status read_option(IndexOptions& options, IndexSpec& spec, std::string_view name, Value value) {
  if (is_text_option(name)) {
    if (spec.has(query::KeyForm::kText)) return {};  // Settled before.
    return error(Code::CannotCreateIndex, "the field '", name, "' can only be specified with text indexes");
  }
  if (const Option* option = find_option(name)) return option->read(options, spec, name, value);
  return error(Code::InvalidIndexSpecificationOption, "The field '", name, "' is not valid for an index specification");
}

/// Read by others.
bool is_heading(std::string_view name) { return name == "key" || name == "name" || name == "ns" || is_geo_option(name); }

}  // namespace

bool is_index_option(std::string_view name) { return is_heading(name) || is_text_option(name) || find_option(name) != nullptr; }

Status check_storage_engine(bson::View options) {
  for (const auto& [name, value] : options) {
    if (!value.is_document()) return error(Code::BadValue, "'storageEngine.", name, "' has to be an embedded document.");
  }
  for (const auto& [name, value] : options) {
    if (name != "wiredTiger") return error(Code::InvalidOptions, name, " is not a registered storage engine for this server");
    for (const auto& [option, given] : value.as_document()) {
      if (option != "configString") return error(Code::InvalidOptions, "'", option, "' is not a supported option.");
      if (!given.is_string()) return error(Code::TypeMismatch, "'configString' must be a string.");
      if (given.as_string().empty()) continue;
      return error(Code::InvalidOptions, "storageEngine.wiredTiger.configString is not supported: the server says itself how its tables are kept");
    }
  }
  return {};
}

Status IndexOptions::read(IndexSpec& spec, bson::View definition) {
  if (const Value collation = definition["collation"]; !collation.missing()) {
    TRY(spec.collation, read_collation(collation));
  }
  for (const auto& [name, value] : definition) {
    if (!is_heading(name)) CHECK_OK(read_option(*this, spec, name, value));
  }
  return {};
}

Status IndexOptions::check(const IndexSpec& spec, bson::View definition) const {
  if (filter && spec.sparse) return cannot("cannot mix \"partialFilterExpression\" and \"sparse\" options");
  if (spec.unique && spec.prepare_unique) {
    return error(Code::CannotCreateIndex, "Invalid index specification ", bson::to_shell(definition),
                 "; cannot create an index with the 'unique' option and the 'prepareUnique' option");
  }
  if (spec.expire_after && spec.parts.size() > 1) {
    return error(Code::CannotCreateIndex, "TTL indexes are single-field indexes, compound indexes do not support TTL. Index spec: ",
                 bson::to_shell(definition));
  }
  if (spec.expire_after && spec.has(query::KeyForm::kText)) return cannot("text indexes cannot be TTL indexes");
  if (spec.has(query::KeyForm::kHash) && (spec.unique || spec.prepare_unique)) {
    return error(Code{16764}, "Currently hashed indexes cannot guarantee uniqueness. Use a regular index.");
  }
  if (spec.has(query::KeyForm::kGridCell) && spec.collation != nullptr) {
    return cannot("Index type '2d' does not support collation: " + bson::to_shell(spec.collation->spec()));
  }
  if (spec.has(query::KeyForm::kText) && spec.collation != nullptr) {
    return cannot("Index type 'text' does not support collation: " + bson::to_shell(spec.collation->spec()));
  }
  if (!spec.has(query::KeyForm::kPathAndValue)) {
    if (wildcard_projection.empty()) return {};
    return error(Code::BadValue, "The field 'wildcardProjection' is only allowed in an 'wildcard' index");
  }
  if (spec.unique || spec.prepare_unique) return cannot("Index type 'wildcard' does not support the unique option");
  if (spec.sparse) return cannot("Index type 'wildcard' does not support the sparse option");
  if (spec.expire_after) return cannot("Index type 'wildcard' cannot be a TTL index");
  if (spec.version < 2) return cannot("'wildcard' index plugin is not allowed with index version v:1");
  return {};
}

void write_index_options(const IndexSpec& spec, bson::View definition, bson::Writer& out) {
  const auto keep = [&](std::string_view name) {
    if (const Value value = definition[name]; !value.missing()) out.add(name, value);
  };
  const auto keep_flag = [&](std::string_view name) {
    if (const Value value = definition[name]; !value.missing()) out.add(name, value.truthy());
  };
  keep_flag("background");
  if (spec.unique) out.add("unique", true);
  if (spec.hidden) out.add("hidden", true);
  keep("partialFilterExpression");
  keep_flag("sparse");
  if (spec.expire_after) out.add("expireAfterSeconds", *spec.expire_after);
  keep("wildcardProjection");
  write_geo_options(spec, definition, out);
  if (spec.has(query::KeyForm::kText)) write_text_options(definition, out);
  if (spec.prepare_unique) out.add("prepareUnique", true);
  keep("storageEngine");
  if (spec.collation != nullptr) out.add("collation", spec.collation->spec());
}

}  // namespace partita::shards
