// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/events.h"

#include "shards/storage/bytes.h"

namespace partita::shards {
namespace {

void write_part(bson::Writer out, const Collection& collection, const BalancedPart& part) {
  out.add("partition", static_cast<std::int64_t>(part.partition));
  if (collection.sharding != nullptr) {
    const query::ShardKey& key = collection.sharding->key;
    const auto min = key.bound(bytes_of(part.min), bson::Type::kMinKey);
    const auto max = key.bound(bytes_of(part.max), part.max.empty() ? bson::Type::kMaxKey : bson::Type::kMinKey);
    if (min.ok()) out.add("min", min->view());
    if (max.ok()) out.add("max", max->view());
  }
  out.add("documents", part.size.documents);
  out.add("bytes", part.size.bytes);
}

BalancedPart part_of(const PartitionSlot& slot) {
  return {slot.partition->id(), slot.min, slot.max, slot.partition->counters().total()};
}

}  // namespace

bson::Document told_split(const Collection& collection, const PartitionSlot& before, const std::vector<BalancedPart>& after) {
  return bson::Document::build([&](bson::Writer& details) {
    write_part(details.document("before"), collection, part_of(before));
    write_part(details.document("left"), collection, after.front());
    write_part(details.document("right"), collection, after.back());
  });
}

bson::Document told_merge(const Collection& collection, const Collection::Run& before, const BalancedPart& after) {
  return bson::Document::build([&](bson::Writer& details) {
    {
      bson::ArrayWriter merged = details.array("merged");
      for (std::size_t i = before.first; i < before.end; ++i) write_part(merged.document(), collection, part_of(collection.partitions[i]));
    }
    write_part(details.document("into"), collection, after);
  });
}

}  // namespace partita::shards
