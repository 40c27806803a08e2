// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/storage_rules.h"

#include <vector>

#include "wire/bson/validate.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

Status check_names(View document) {
  std::vector<View::Iterator> open{document.begin()};
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
    if (field.value.is_document() || field.value.is_array()) open.push_back(field.value.as_document().begin());
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
  if (bson::depth(document) > bson::kMaxStoredDepth)
    return error(Code::Overflow, "Document exceeds maximum nesting depth of ", bson::kMaxStoredDepth);
  const Value id = document["_id"];
  return id.missing() ? Status() : check_id(id);
}

}  // namespace partita::query
