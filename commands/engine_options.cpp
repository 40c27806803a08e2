// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/engine_options.h"

#include <algorithm>

#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using bson::Value;
using bson::View;

bool is_id_key(View key) { return key.count() == 1 && key.begin()->name == "_id" && key.begin()->value.exact_int64() == 1; }

}  // namespace

Status check_id_index_spec(View spec) {
  constexpr std::string_view kKnown[] = {"key", "name", "v", "ns", "collation"};
  for (const auto& [name, value] : spec) {
    if (std::ranges::find(kKnown, name) != std::end(kKnown)) continue;
    return error(Code::InvalidIndexSpecificationOption, "The field '", name, "' is not valid for an _id index specification. Specification: ",
                 bson::to_shell(spec));
  }
  const Value key = spec["key"];
  for (const std::string_view needed : {"key", "name"}) {
    if (!spec.has(needed)) return error(Code::FailedToParse, "The '", needed, "' field is a required property of an index specification");
  }
  if (!key.is_document()) return error(Code::TypeMismatch, "The field 'key' must be an object, but got ", key.type_name());
  if (!is_id_key(key.as_document())) {
    return error(Code::BadValue, "The field 'key' for an _id index must be {_id: 1}, but got ", bson::to_shell(key.as_document()));
  }
  const Value version = spec["v"];
  if (version.missing() || version.exact_int64() == 1 || version.exact_int64() == 2) return {};
  return error(Code::CannotCreateIndex, "Invalid index specification ", bson::to_shell(spec), "; cannot create an index with v=",
               bson::to_shell(version));
}

}  // namespace partita::commands
