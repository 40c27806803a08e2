// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a primary changes the catalog: alone, with no data record in flight, so that both logs agree on what came first.
#include "query/keys/encode.h"
#include "tests/simulation/process.h"
#include "wire/bson/json.h"

namespace partita::simulation {
namespace {

using namespace shards;

/// Where a collection's second partition begins.
constexpr std::int64_t kMiddle = 200'000;

std::string middle_key() {
  bson::Buffer key;
  query::keys::encode(bson::Value::of(kMiddle), key);
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
    for (const std::string& min : {std::string(), middle_key()}) {
      const PartitionId id{meta.next_partition++};
      CHECK_OK(write.draft.put_catalog_row(write.session, PartitionRow::key(uuid, id), PartitionRow{min}.encode()));
    }
    return write.draft.put_catalog_row(write.session, MetaRow::key(), meta.encode());
  }
  if (collection == nullptr) return {};
  if (change.kind != CatalogChange::Kind::kDrop) return draft_index_change(write, change, *collection);
  for (const PartitionSlot& slot : collection->partitions) {
    CHECK_OK(write.draft.erase_catalog_row(write.session, PartitionRow::key(collection->uuid, slot.partition->id())));
  }
  return write.draft.erase_catalog_row(write.session, CollectionRow::key(collection->uuid));
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
