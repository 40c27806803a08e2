// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/text_source.h"

#include "commands/operation.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {

Result<std::shared_ptr<const query::text::Spec>> TextSource::text_index() const {
  TRY(const shards::Namespace ns, operation_.target_namespace());
  const auto collection = operation_.server().store.catalog().snapshot().share(ns.full());
  if (collection == nullptr) {
    return error(Code::IndexNotFound, "text index required for $text query (no such collection '", ns.full(), "')");
  }
  for (const auto& index : collection->indexes) {
    if (index->keys->text() != nullptr) return index->keys->text();
  }
  return error(Code::IndexNotFound, "text index required for $text query");
}

}  // namespace partita::commands
