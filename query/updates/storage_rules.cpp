// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/storage_rules.h"

#include <vector>

#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

/// Behind {$ref: 'c', $id: 1, $db: 'd'}, in that order, where a document begins like that. As with MongoDB, nobody looks into
/// the $id.
void skip_reference(View::Iterator& at) {
  if (at == std::default_sentinel || at->name != "$ref" || !at->value.is_string()) return;
  View::Iterator id = at;
  if (++id == std::default_sentinel || id->name != "$id") return;
  at = ++id;
  if (at != std::default_sentinel && at->name == "$db" && at->value.is_string()) ++at;
}

Status check_names(View document) {
  std::vector<View::Iterator> open;
  const auto enter = [&](View nested) { skip_reference(open.emplace_back(nested.begin())); };
  enter(document);
  while (!open.empty()) {
    View::Iterator& at = open.back();
    if (at == std::default_sentinel) {
      open.pop_back();
      continue;
    }
    const bson::Field field = *at;
    ++at;
    if (field.name.starts_with('$'))
      return error(Code::DollarPrefixedFieldName, "_id fields may not contain '$'-prefixed fields: ", field.name,
                   " is not valid for storage.");
    if (field.value.is_document() || field.value.is_array()) enter(field.value.as_document());
  }
  return {};
}

}  // namespace

bool nests_too_deep(View document) {
  constexpr std::size_t kSmallestLevel = 7;  // A type, the end of a name, a length, and its own end.
  return document.size() > kSmallestLevel * kMostLevels && bson::field_depth(document) > kMostLevels;
}

Status check_id(Value id) {
  if (id.is_array() || id.is(Type::kRegex) || id.is(Type::kUndefined))
    return error(Code::InvalidIdField, "The '_id' value cannot be of type ", id.type_name());
  return id.is_document() ? check_names(id.as_document()) : Status();
}

Status check_storable(View document) {
  if (nests_too_deep(document)) return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
  const Value id = document["_id"];
  return id.missing() ? Status() : check_id(id);
}

}  // namespace partita::query
