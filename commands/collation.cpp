// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/collation.h"

#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {

Result<query::Collation> collation_for(bson::View given, const shards::Collection* collection) {
  if (!given.empty()) return query::Collator::make(given);
  return collection == nullptr ? query::Collation() : collection->collation;
}

Result<query::Collation> collation_for(Operation& operation, bson::View given, const shards::Namespace& ns) {
  return collation_for(given, operation.server().store.catalog().snapshot().find(ns.full()));
}

Status read_collation(bson::View& to, bson::Value value, std::string_view command) {
  return detail::read(to, value, command, "collation");
}

Status check_collation_of_view(bson::Value given, bson::View of_view) {
  if (!given.is_document() || given.as_document().empty()) return {};
  TRY(const query::Collation asked, query::Collator::make(given.as_document()));
  TRY(const query::Collation usual, query::Collator::make(of_view));
  if (agree(asked, usual)) return {};
  return error(Code::OptionNotSupportedOnView, "Cannot override a view's default collation");
}

}  // namespace partita::commands
