// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "shards/catalog/collection.h"

namespace partita::commands {

/// What collMod may change of an index.
struct IndexModification {
  std::optional<std::string_view> name;
  std::optional<bson::View> key_pattern;
  std::optional<std::int64_t> expire_after;
  std::optional<bool> hidden, unique, prepare_unique;

  static Result<IndexModification> parse(bson::View index);
  /// The index that is meant; nullptr for that of _id. IndexNotFound, AmbiguousIndexKeyPattern.
  Result<std::shared_ptr<const shards::IndexSpec>> find(const shards::Collection& collection) const;
};

/// Changes the index, and tells what it was and is. A dry run of `unique` changes nothing and tells what stands in its way.
Status modify_index(Operation& operation, const shards::Namespace& ns, const IndexModification& modification, bool dry_run,
                    bson::Writer& reply);

}  // namespace partita::commands
