// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/partition_bounds.h"

#include <algorithm>

#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

Result<bson::Document> shown(const shards::Collection& collection, const std::string& bound, bool upper) {
  return collection.sharding->key.bound(shards::bytes_of(bound), upper && bound.empty() ? bson::Type::kMaxKey : bson::Type::kMinKey);
}

}  // namespace

Result<std::shared_ptr<const shards::Collection>> sharded_target(Operation& operation, std::string_view command) {
  if (!operation.target().is_string()) return wrong_type(command, command, operation.target(), "string");
  TRY(const shards::Namespace ns, shards::Namespace::parse(operation.target().as_string()));
  auto collection = operation.server().store.catalog().share()->share(ns.full());
  if (collection == nullptr || collection->sharding == nullptr) {
    return error(Code::NamespaceNotSharded, "Expected collection ", ns.full(), " to be sharded");
  }
  return collection;
}

bool fits_shard_key(const shards::Collection& collection, bson::View bound) {
  const auto fields = collection.sharding->key.fields();
  const auto named = [&](const auto& field) { return bound.has(field.path.text()); };
  const bool within = collection.sharding->divides_keys() && bound.has("_id");
  const bool of_hash = collection.sharding->key.has_hash() && bound.has("$value");
  const std::size_t more = (within ? 1 : 0) + (of_hash ? 1 : 0);
  return bound.count() == fields.size() + more && std::ranges::all_of(fields, named);
}

Result<std::string> parse_bound(const shards::Collection& collection, bson::View bound) {
  bool at_end = true;
  for (const auto& [name, value] : bound) at_end &= value.is(bson::Type::kMaxKey);
  if (at_end && fits_shard_key(collection, bound)) return std::string();
  return collection.sharding->key.parse_bound(bound, collection.collation.get());
}

std::string shown_range(const shards::Collection& collection, const std::string& min, const std::string& max) {
  const Result<bson::Document> lower = shown(collection, min, false);
  const Result<bson::Document> upper = shown(collection, max, true);
  if (!lower.ok() || !upper.ok()) return "[?)";
  return ::partita::detail::join("[", bson::to_shell(*lower), ", ", bson::to_shell(*upper), ")");
}

Status write_outcome(const shards::Collection& collection, const shards::BalanceOutcome& outcome, bool preview,
                     std::string_view effect, bson::Writer& reply) {
  {
    bson::ArrayWriter parts = reply.array("parts");
    for (const shards::BalancedPart& part : outcome.parts) {
      TRY(const bson::Document min, shown(collection, part.min, false));
      TRY(const bson::Document max, shown(collection, part.max, true));
      bson::Writer one = parts.document();
      if (!preview) one.add("partition", static_cast<std::int64_t>(part.partition));
      one.add("min", min.view());
      one.add("max", max.view());
      one.add("documents", part.size.documents);
      one.add("bytes", part.size.bytes);
    }
  }
  if (preview) {
    reply.add("dryRun", true);
    reply.add("effect", effect);
  } else {
    reply.add("pauseMicros", static_cast<std::int64_t>(outcome.pause.count()));
  }
  return {};
}

}  // namespace partita::commands
