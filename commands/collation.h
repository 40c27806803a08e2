// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "query/collation/collator.h"
#include "shards/catalog/collection.h"

namespace partita::commands {

/// The collation that a command goes by: the one that it names, or else that of its collection, which may be null.
Result<query::Collation> collation_for(bson::View given, const shards::Collection* collection);
/// The same, for who has not looked up the collection yet.
Result<query::Collation> collation_for(Operation& operation, bson::View given, const shards::Namespace& ns);

/// The option of a statement: a document. Null and {} stand for none.
Status read_collation(bson::View& to, bson::Value value, std::string_view command);

/// Who reads a view goes by its collation, {locale: "simple"} if it has none, and must not ask for another one.
Status check_collation_of_view(bson::Value given, bson::View of_view);

}  // namespace partita::commands
