// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a primary executes a statement: as commands/ does it over the store, with less in the documents.
#include "query/keys/encode.h"
#include "shards/router/record_keys.h"
#include "shards/sessions/retry_rows.h"
#include "tests/simulation/process.h"

namespace partita::simulation {
namespace {

using namespace shards;

Status not_primary() { return error(Code::NotWritablePrimary, "not primary"); }

bson::Document make_document(std::int64_t key, std::int64_t n, std::int64_t u) {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("_id", key);
    out.add("n", n);
    if (u != 0) out.add("u", u);
    bson::ArrayWriter tags = out.array("tags");
    for (std::int64_t tag = 0; tag < key % 4; ++tag) tags.push((key + tag * n) % 7);
    out.add("filler", "enough of it that a change of n alone goes into the log as a difference");
  });
}

void append_key(const Collection& collection, std::int64_t key, bson::Buffer& out) {
  append_record_key_of_id(collection, bson::Value::of(key), out);
}

}  // namespace

void Process::execute(const Statement& statement, Reply reply) {
  if (role_ != Role::kPrimary) return reply(not_primary());
  if (changing_catalog_ || waiting_change_) return reply(error(Code::LockBusy, "the catalog is about to change"));
  const Collection* collection = replica_.find(statement.ns);
  Write& write = begin(RecordKind::kOperations, kDataLog, std::move(reply));
  if (collection == nullptr) return confirm(write, error(Code::NamespaceNotFound, "no such collection"));
  bson::Buffer key;
  append_key(*collection, statement.key, key);
  const PartitionSlot& slot = collection->locate(key.bytes());
  const Result<bool> repeated = is_repeated(write, slot, statement);
  if (!repeated.ok()) return confirm(write, repeated.status());
  if (*repeated) return confirm(write, {});
  Status status = draft(write, statement, *collection);
  const std::uint8_t outcome[] = {1};
  if (status.ok()) {
    const std::int32_t number = statement.id.statement;
    status = write.draft.note_retry(write.session, slot.partition->id(), statement.id,
                                    {number, number, StatementKind::kUpdate, outcome}, clock_.now());
  }
  if (status.ok()) status = housekeep(write, slot.partition->id());
  status.ok() ? submit(write) : confirm(write, std::move(status));
}

/// Rows of sessions that nobody asks for come and go, as those of silent sessions do.
Status Process::housekeep(Write& write, PartitionId partition) {
  StatementId forgotten;
  forgotten.session.fill(static_cast<std::uint8_t>(around_.time.between(0, 15)));
  const auto number = static_cast<std::int32_t>(around_.time.between(0, 3) * kStatementsInBlock);
  if (around_.time.chance(0.5)) return write.draft.erase_retry_row(write.session, retry_key(partition, forgotten, block_of(number)));
  forgotten.transaction = around_.time.between(1, 2);
  return write.draft.note_retry(write.session, partition, forgotten, {number, number, StatementKind::kDelete, {}}, clock_.now());
}

Result<bool> Process::is_repeated(Write& write, const PartitionSlot& slot, const Statement& statement) {
  if (around_.sabotage == Sabotage::kRetries) return false;
  TRY(const EarlierStatement earlier, find_statement(write.session, replica_.applier_tables().retry, slot, statement.id));
  if (earlier.done) ++around_.judge.tally().repeated;
  return earlier.done.has_value();
}

Status Process::draft(Write& write, const Statement& statement, const Collection& collection) {
  switch (statement.kind) {
    case Statement::Kind::kInsert:
      for (std::int64_t i = 0; i < statement.count; ++i) CHECK_OK(insert(write, collection, statement, statement.key + i));
      return {};
    case Statement::Kind::kClaim:
      return insert(write, collection, statement, statement.key);
    case Statement::Kind::kIncrement:
    case Statement::Kind::kCount:
    case Statement::Kind::kRemove:
      return change(write, collection, statement);
  }
  return {};
}

Status Process::insert(Write& write, const Collection& collection, const Statement& statement, std::int64_t key) {
  bson::Buffer record_key;
  append_key(collection, key, record_key);
  const bson::Document document = make_document(key, 1, statement.u);
  return write.draft.insert(write.session, {&collection.locate(record_key.bytes()), record_key.bytes(), document});
}

Status Process::change(Write& write, const Collection& collection, const Statement& statement) {
  bson::Buffer key;
  append_key(collection, statement.key, key);
  const PartitionSlot& slot = collection.locate(key.bytes());
  TRY(MemoryCursor at, write.session.cursor(slot.partition->records()));
  TRY(const bool there, at.find(key.bytes()));
  if (!there) {
    if (statement.kind == Statement::Kind::kCount) return insert(write, collection, statement, statement.key);
    return error(Code::NoSuchKey, "no document ", statement.key);
  }
  const bson::View before = bson::View::trusted(at.value().data());
  if (statement.kind == Statement::Kind::kRemove) return write.draft.remove(write.session, slot, at, key.bytes(), before);
  const bson::Document after = make_document(statement.key, before["n"].as_int64() + 1, before["u"].exact_int64().value_or(0));
  return write.draft.update(write.session, slot, at, key.bytes(), before, after);
}

}  // namespace partita::simulation
