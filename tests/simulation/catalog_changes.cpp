// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a primary changes the catalog: alone, with no data record in flight, so that both logs agree on what came first.
#include <algorithm>
#include <set>

#include "query/keys/encode.h"
#include "tests/simulation/process.h"
#include "wire/bson/json.h"

namespace partita::simulation {
namespace {

using namespace shards;

/// Where a collection's second partition begins.
constexpr std::int64_t kMiddle = 200'000;

std::string key_at(std::int64_t number) {
  bson::Buffer key;
  query::keys::encode(bson::Value::of(number), key);
  return std::string(key.text());
}

}  // namespace

void Process::change_catalog(const CatalogChange& change, Reply reply) {
  if (role_ != Role::kPrimary) return reply(error(Code::NotWritablePrimary, "not primary"));
  if (changing_catalog_ || waiting_change_) return reply(error(Code::LockBusy, "another change is on its way"));
  waiting_change_.emplace(change, std::move(reply));
  if (writes_.empty()) start_catalog_change();
}

void Process::start_catalog_change() {
  auto [change, reply] = std::move(*waiting_change_);
  waiting_change_.reset();
  changing_catalog_ = true;
  Write& write = begin(RecordKind::kCatalog, kCatalogLog, std::move(reply));
  Status status = draft_catalog_change(write, change);
  if (status.ok() && !write.draft.record().empty()) {
    ++around_.judge.tally().catalog_changes;
    return submit(write);
  }
  changing_catalog_ = false;
  confirm(write, std::move(status));
}

Status Process::draft_catalog_change(Write& write, const CatalogChange& change) {
  const Collection* collection = replica_.find(change.ns);
  if (change.kind == CatalogChange::Kind::kCreate) {
    if (collection != nullptr) return {};
    MetaRow meta = replica_.state().meta();
    const Uuid uuid = random_.uuid();
    CollectionRow row;
    row.ns = change.ns.full();
    CHECK_OK(write.draft.put_catalog_row(write.session, CollectionRow::key(uuid), row.encode()));
    for (const std::string& min : {std::string(), key_at(kMiddle)}) {
      const PartitionId id{meta.next_partition++};
      CHECK_OK(write.draft.put_catalog_row(write.session, PartitionRow::key(uuid, id), PartitionRow{min}.encode()));
    }
    return write.draft.put_catalog_row(write.session, MetaRow::key(), meta.encode());
  }
  if (collection == nullptr) return {};
  if (change.kind == CatalogChange::Kind::kSplit) return draft_split(write, change, *collection);
  if (change.kind == CatalogChange::Kind::kMerge) return draft_merge(write, change, *collection);
  if (change.kind != CatalogChange::Kind::kDrop) return draft_index_change(write, change, *collection);
  std::set<PartitionId> gone;
  for (const PartitionSlot& slot : collection->partitions) {
    gone.insert(slot.partition->id());
    gone.insert(slot.inherits.begin(), slot.inherits.end());
  }
  for (const PartitionId id : gone) {
    CHECK_OK(write.draft.erase_catalog_row(write.session, PartitionRow::key(collection->uuid, id)));
  }
  return write.draft.erase_catalog_row(write.session, CollectionRow::key(collection->uuid));
}

/// Retires some neighbours of one segment and puts partitions with these bounds in their place.
Status Process::replace_partitions(Write& write, const Collection& collection, std::size_t first, std::size_t end,
                                   const std::vector<std::string>& bounds) {
  const auto& slots = collection.partitions;
  std::vector<PartitionId> inherits;
  for (std::size_t i = first; i < end; ++i) {
    inherits.push_back(slots[i].partition->id());
    CHECK_OK(write.draft.retire_catalog_row(write.session, PartitionRow::key(collection.uuid, inherits.back())));
  }
  for (std::size_t i = first; i < end; ++i) {
    for (const PartitionId id : slots[i].inherits) {
      if (std::ranges::find(inherits, id) == inherits.end()) inherits.push_back(id);
    }
  }
  MetaRow meta = replica_.state().meta();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::string& to = i + 1 < bounds.size() ? bounds[i + 1] : slots[end - 1].max;
    const Growth size = replica_.measure(*slots[first].partition, bounds[i], to);
    PartitionRow row{.min = bounds[i], .segment = static_cast<std::uint32_t>(slots[first].partition->segment()),
                     .documents = size.documents, .bytes = size.bytes, .inherits = inherits};
    const PartitionId id{meta.next_partition++};
    CHECK_OK(write.draft.put_catalog_row(write.session, PartitionRow::key(collection.uuid, id), row.encode()));
  }
  return write.draft.put_catalog_row(write.session, MetaRow::key(), meta.encode());
}

Status Process::draft_split(Write& write, const CatalogChange& change, const Collection& collection) {
  constexpr std::size_t kMostPartitions = 8;
  const std::string cut = key_at(change.key);
  const std::size_t place = collection.slot_of(bytes_of(cut));
  const PartitionSlot& slot = collection.partitions[place];
  if (slot.min == cut || collection.partitions.size() == kMostPartitions) return {};
  return replace_partitions(write, collection, place, place + 1, {slot.min, cut});
}

Status Process::draft_merge(Write& write, const CatalogChange& change, const Collection& collection) {
  const std::size_t place = collection.slot_of(bytes_of(key_at(change.key)));
  if (collection.run_of(place).end < place + 2) return {};
  return replace_partitions(write, collection, place, place + 2, {collection.partitions[place].min});
}

Status Process::draft_index_change(Write& write, const CatalogChange& change, const Collection& collection) {
  TRY(const bson::Document definition, bson::parse_json(change.index));
  TRY(IndexSpec spec, IndexSpec::parse(definition));
  CollectionRow row = replica_.state().row(collection.uuid)->copy();
  std::optional<std::uint32_t> there;
  for (const auto& index : collection.indexes) {
    if (index->name == spec.name) there = index->id;
  }
  const bool create = change.kind == CatalogChange::Kind::kCreateIndex;
  if (there.has_value() == create) return {};
  if (create) {
    row.indexes.push_back({row.next_index++, spec.definition.copy()});
    CHECK_OK(check_unique(collection, std::move(spec)));
  } else {
    std::erase_if(row.indexes, [&](const IndexRow& index) { return index.id == *there; });
  }
  return write.draft.put_catalog_row(write.session, CollectionRow::key(collection.uuid), row.encode());
}

/// Builds the index once where nobody sees it: a collision must show before the record is written.
Status Process::check_unique(const Collection& collection, IndexSpec spec) {
  const auto shared = std::make_shared<const IndexSpec>(std::move(spec));
  for (const PartitionSlot& slot : collection.partitions) {
    MemoryTables scratch;
    MemorySession session(scratch);
    PartitionIndex index;
    index.spec = shared;
    index.table = scratch.table("trial");
    BasicIndexWriter<MemorySession> writer;
    for (const auto& [key, row] : replica_.tables().rows(slot.partition->records())) {
      const Bytes key_bytes{reinterpret_cast<const std::uint8_t*>(key.data()), key.size()};
      const auto* document = reinterpret_cast<const std::uint8_t*>(row.data());
      CHECK_OK(writer.insert(session, index, key_bytes, bson::View::trusted(document)));
    }
  }
  return {};
}

/// The record itself says what the catalog's state machine has to hear.
Status Process::show_catalog_rows(Write& write) {
  const Position& at = write.append.position;
  const Bytes record = write.draft.record().finish(at.epoch, at.sequence, at.commit_time, at.commit_time);
  TRY(RecordReader reader, RecordReader::open(record));
  while (true) {
    TRY(const std::optional<Operation> operation, reader.next());
    if (!operation) return replica_.settle();
    CHECK_OK(operation->type == OperationType::kCatalogPut
                 ? replica_.state().put(operation->key, bson::View::trusted(operation->image.data()))
                 : replica_.state().erase(operation->key));
  }
}

}  // namespace partita::simulation
