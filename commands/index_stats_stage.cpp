// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/host.h"
#include "commands/listed_indexes.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "commands/wall_time.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

constexpr std::string_view kStage = "$indexStats";

std::int64_t millis_of_start(const Server& server) {
  const auto up = std::chrono::steady_clock::now() - server.started;
  return now_as_date().ms_since_epoch - std::chrono::duration_cast<std::chrono::milliseconds>(up).count();
}

/// Of the oldest partition: a collection is not known otherwise.
std::int64_t millis_of_creation(const shards::Collection& collection) {
  const auto created = [](const shards::PartitionSlot& slot) { return slot.created.ms_since_epoch; };
  return created(*std::ranges::min_element(collection.partitions, {}, created));
}

Result<std::vector<bson::Document>> index_stats(Operation& operation, const shards::Namespace& ns, bson::Value specification) {
  if (!specification.is_document() || !specification.as_document().empty()) {
    return error(Code{28803}, "The $indexStats stage specification must be an empty object");
  }
  CHECK_OK(check_asks_collection(operation, kStage));
  Server& server = operation.server();
  std::vector<bson::Document> rows;
  const auto collection = server.store.catalog().snapshot().share(ns.full());
  if (collection == nullptr) return rows;
  const std::int64_t known = std::max(millis_of_start(server), millis_of_creation(*collection));
  for (const ListedIndex& index : listed_indexes(*collection)) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("name", index.definition["name"]);
      row.add("key", index.definition["key"]);
      row.add("host", host_and_port(server.settings.net.port));
      {
        bson::Writer accesses = row.document("accesses");
        accesses.add("ops", index.use == nullptr ? std::int64_t{0} : index.use->operations());
        accesses.add("since", bson::Date{index.use == nullptr ? known : std::max(known, index.use->made_at())});
      }
      row.add("spec", index.definition.view());
    }));
  }
  return rows;
}

const RegisterSourceStage kIndexStats{{
    .name = kStage,
    .help = "How often each index of a collection has been used, and since when.",
    .run = index_stats,
}};

}  // namespace
}  // namespace partita::commands
