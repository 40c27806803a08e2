// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/server.h"
#include "commands/source_stages.h"
#include "commands/version.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using Rows = std::vector<bson::Document>;

Result<Rows> sharded_data_distribution(Operation& operation, const shards::Namespace& ns, bson::Value specification) {
  if (!specification.is_document() || !specification.as_document().empty()) {
    return error(Code{6789100}, "The $shardedDataDistribution stage specification must be an empty object");
  }
  if (ns.db() != "admin" || operation.target().is_string()) {
    return error(Code{6789102}, "$shardedDataDistribution must be run against the 'admin' database with {aggregate: 1}");
  }
  Rows rows;
  for (const auto& collection : operation.server().store.catalog().share()->all()) {
    if (collection->sharding == nullptr) continue;
    const shards::Growth size = collection->size();
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("ns", collection->ns.full());
      bson::ArrayWriter shards = row.array("shards");
      bson::Writer shard = shards.document();
      shard.add("shardName", kNodeName);
      add_number(shard, "numOrphanedDocs", 0);
      add_number(shard, "numOwnedDocuments", size.documents);
      add_number(shard, "ownedSizeBytes", size.bytes);
      add_number(shard, "orphanedSizeBytes", 0);
    }));
  }
  return rows;
}

/// Rows as they are written. Expressions in them would have to be computed: refused rather than taken for their text.
Status check_literal(bson::View document) {
  std::vector<bson::View> left{document};
  while (!left.empty()) {
    const bson::View view = left.back();
    left.pop_back();
    for (const auto& [name, value] : view) {
      const bool computed = name.starts_with('$') || (value.is_string() && value.as_string().starts_with('$'));
      if (computed) return error(Code::NotImplemented, "$documents with expressions is not supported");
      if (value.is_document() || value.is_array()) left.push_back(value.as_document());
    }
  }
  return {};
}

Result<Rows> documents(Operation& operation, const shards::Namespace&, bson::Value specification) {
  if (operation.target().is_string()) {
    return error(Code::InvalidNamespace, "$documents can only be run with {aggregate: 1}");
  }
  if (!specification.is_array()) {
    return error(Code{5858203}, "an array is expected in $documents, but found: ", specification.type_name());
  }
  Rows rows;
  for (const auto& [name, row] : specification.as_document()) {
    if (!row.is_document()) return error(Code{40228}, "$documents takes an array of objects, but found: ", row.type_name());
    CHECK_OK(check_literal(row.as_document()));
    rows.emplace_back(row.as_document());
  }
  return rows;
}

const RegisterSourceStage kShardedDataDistribution{{
    .name = "$shardedDataDistribution",
    .help = "How many documents and bytes of each sharded collection lie on which shard.",
    .run = sharded_data_distribution,
}};

const RegisterSourceStage kDocuments{{
    .name = "$documents",
    .help = "The documents that are written in the pipeline itself, without expressions in them.",
    .run = documents,
}};

}  // namespace
}  // namespace partita::commands
