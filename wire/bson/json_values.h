// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "wire/bson/document.h"

/// The two ways in which JSON text spells values that JSON does not have; both are read as ordinary documents and arrays
/// first, and then looked up here. For json_parse.cpp.
namespace partita::bson {

/// What {"$oid": "..."} and its like stand for; nullopt for an ordinary document. What is inside has been converted
/// already: in {"$date": {"$numberLong": "5"}} this finds a long. Fails where only the first name fits.
Result<std::optional<OwnedValue>> extended_value(View document);

/// What ObjectId("...") and its like stand for. The arguments are the fields of an array.
Result<OwnedValue> constructed_value(std::string_view constructor, View arguments);
bool is_constructor(std::string_view name);

}  // namespace partita::bson
