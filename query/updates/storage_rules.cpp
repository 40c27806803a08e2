// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/storage_rules.h"

#include <vector>

#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// {$ref: 'c', $id: 1, $db: 'd'}, in that order, at the beginning or behind other fields.
bool is_part_of_reference(std::string_view before, View::Iterator at) {
  const bson::Field field = *at;
  if (field.name == "$ref") return field.value.is_string() && ++at != std::default_sentinel && at->name == "$id";
  return (field.name == "$id" && before == "$ref") || (field.name == "$db" && before == "$id" && field.value.is_string());
}

Status check_names(View document) {
  struct Open {
    View::Iterator at;
    std::string_view before = {};
  };
  std::vector<Open> open{{document.begin()}};
  while (!open.empty()) {
    auto& [at, before] = open.back();
    if (at == std::default_sentinel) {
      open.pop_back();
      continue;
    }
    const bson::Field field = *at;
    const bool is_allowed = !field.name.starts_with('$') || is_part_of_reference(before, at);
    before = field.name;
    ++at;
    if (!is_allowed)
      return error(Code::DollarPrefixedFieldName, "_id fields may not contain '$'-prefixed fields: ", field.name,
                   " is not valid for storage.");
    if (field.value.is_document() || field.value.is_array()) open.push_back({field.value.as_document().begin()});
  }
  return {};
}

}  // namespace

Status check_id(Value id) {
  if (id.is_array() || id.is(Type::kRegex) || id.is(Type::kUndefined))
    return error(Code::InvalidIdField, "The '_id' value cannot be of type ", id.type_name());
  return id.is_document() ? check_names(id.as_document()) : Status();
}

Status check_storable(View document) {
  if (bson::depth(document) > kMostLevels)
    return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
  const Value id = document["_id"];
  return id.missing() ? Status() : check_id(id);
}

}  // namespace partita::query
