// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/statements.h"

#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/settings/parameters.h"
#include "query/updates/storage_rules.h"
#include "shards/indexes/entries.h"
#include "shards/store.h"
#include "wire/message/header.h"

namespace partita::commands {
namespace {

parameters::Whole logical_limit{
    {.name = "logicalPartitionSizeLimitBytes",
     .summary = "How many bytes all documents of one shard key may take together; what would grow past it is refused, unless the "
                "collection has splitLogicalPartitions."},
    {.initial = std::int64_t{10} << 30, .least = 1}};

constexpr std::string_view kId = "_id";

// How MongoDB refuses a number that was another statement's.
constexpr Code kFindAndModifyRetry{40606};
constexpr Code kFindAndModifyRetryOfInsert{40608};
constexpr Code kWriteRetry{40638};

bool is_empty_timestamp(bson::Value value) { return value.is(bson::Type::kTimestamp) && value.as_timestamp().bits() == 0; }

/// A number of a statement that was something else: a client's mistake, which must not pass for a write that was done.
/// MongoDB refuses updates and findAndModify then, with these codes; inserts and deletes it takes for done.
Status other_kind(shards::StatementKind asked, shards::StatementKind done) {
  using shards::StatementKind;
  const Code of_find_and_modify = done == StatementKind::kInsert ? kFindAndModifyRetryOfInsert : kFindAndModifyRetry;
  return error(asked == StatementKind::kFindAndModify ? of_find_and_modify : kWriteRetry, shards::name_of(asked),
               " retry request is not compatible with previous write in the transaction of type: ", shards::name_of(done));
}

Result<shards::EarlierStatement> same_kind(Result<shards::EarlierStatement> earlier, shards::StatementKind kind) {
  if (earlier.ok() && earlier->done && earlier->done->kind != kind) return other_kind(kind, earlier->done->kind);
  return earlier;
}

}  // namespace

// A bare error is {index, code, errmsg: ""} under a number of five digits: 46 bytes. Eleven more name the statement among
// those that an earlier sending had done. An upsert's entry takes less, but for its _id.
constexpr std::size_t kBareEntry = 64;

ReplyRoom::ReplyRoom(std::size_t bytes) : left_(bytes), texts_left_(bson::kMaxDocumentSize / 3) {}

ReplyRoom ReplyRoom::of_document(std::size_t statements) { return ReplyRoom(bson::kMaxInternalSize - statements * kBareEntry); }

ReplyRoom ReplyRoom::of_cursor() { return ReplyRoom(wire::kMaxMessageSize); }

bool ReplyRoom::take_text(const Status& status) {
  const std::size_t bytes = status.message().size() + status.details().size();
  if (bytes > left_ || bytes > texts_left_) return false;
  left_ -= bytes;
  texts_left_ -= bytes;
  return true;
}

Status check_reply_room(bson::View upserted, std::size_t room) {
  if (upserted.empty() || upserted.size() <= room) return {};
  return error(Code::BSONObjectTooLarge, "the reply has no room left for the _id of this upsert: it takes ", upserted.size(),
               " bytes, ", room, " are left");
}

void WriteErrors::add(std::size_t index, Status status) {
  if (!room_.take_text(status)) status = error(status.code(), "");
  errors_.push_back({index, std::move(status)});
}

void WriteErrors::write(bson::Writer& reply) const {
  if (errors_.empty()) return;
  bson::ArrayWriter array = reply.array("writeErrors");
  for (const One& one : errors_) {
    bson::Writer error = array.document();
    error.add("index", static_cast<std::int32_t>(one.index));
    write_error(one.status, error);
  }
}

void write_error(const Status& status, bson::Writer& to) {
  to.add("code", static_cast<std::int32_t>(status.code()));
  if (const auto& details = status.details(); !details.empty()) to.elements(bson::View::trusted(details.data()));
  to.add("errmsg", status.message());
}

Status check_batch_size(std::size_t statements) {
  constexpr std::size_t kMost = kMaxWriteBatchSize;
  if (statements > 0 && statements <= kMost) return {};
  return error(Code::InvalidLength, "Write batch sizes must be between 1 and ", kMost, ". Got ", statements, " operations.");
}

Result<StatementNumbers> StatementNumbers::parse(std::string_view command, bson::Value first, bson::Value list,
                                                 std::size_t count) {
  StatementNumbers numbers;
  const bool begins = !first.missing() && !first.is_null();
  if (begins && !first.is(bson::Type::kInt32)) return wrong_type(command, "stmtId", first, "int");
  if (begins) numbers.first_ = first.as_int32();
  if (numbers.first_ > INT32_MAX - static_cast<std::int64_t>(count)) {  // Numbers that met would seem to be sent twice.
    return error(Code::BadValue, "stmtId leaves no numbers for ", count, " statements: ", numbers.first_);
  }
  if (list.missing()) return numbers;
  if (begins) return error(Code::InvalidOptions, "May not specify both stmtId and stmtIds in write command");
  CHECK_OK(check_array(command, "stmtIds", list));
  for (const auto& [name, number] : list.as_document()) {
    if (!number.is(bson::Type::kInt32)) return wrong_type(command, "stmtIds." + std::string(name), number, "int");
    numbers.list_.push_back(number.as_int32());
  }
  if (numbers.list_.size() == count) return numbers;
  return error(Code::InvalidLength, "Number of statement ids must match the number of batch entries. Got ",
               numbers.list_.size(), " statement ids but ", count, " operations.");
}

std::optional<shards::StatementId> statement_id(const Operation& operation, std::int32_t statement) {
  const GenericArguments& generic = operation.generic();
  if (!generic.session || !generic.transaction) return std::nullopt;
  return shards::StatementId{*generic.session, generic.session_owner, *generic.transaction, statement};
}

void write_retried(const std::vector<std::int32_t>& statements, bson::Writer& reply) {
  if (statements.empty()) return;
  bson::ArrayWriter retried = reply.array("retriedStmtIds");
  for (const std::int32_t statement : statements) retried.push(statement);
}

Result<const shards::PartitionSlot*> retry_slot(shards::WriteAttempt& attempt, const shards::PartitionSlot& slot,
                                                const Retryable& statement) {
  if (statement.keyed) return &slot;
  return attempt.enter(shards::home_key(statement.id));
}

Result<shards::EarlierStatement> find_earlier(shards::WriteAttempt& attempt, const shards::PartitionSlot& slot,
                                              const Retryable& statement) {
  return same_kind(attempt.unit().find_statement(slot, statement.id), statement.kind);
}

Result<shards::EarlierStatement> find_earlier(shards::Session& session, shards::TableId retry_table,
                                              const shards::PartitionSlot& slot, const Retryable& statement) {
  return same_kind(shards::find_statement(session, retry_table, slot, statement.id), statement.kind);
}

shards::WriteOptions write_options(Operation& operation, bool create_collection) {
  shards::WriteOptions options;
  options.create_collection = create_collection;
  options.skips_validation = operation.body()["bypassDocumentValidation"].truthy();
  options.may_block = operation.on_worker();
  options.logical_limit_bytes = logical_limit.get();
  options.interrupted = [&operation] { return operation.check_interrupt(); };
  return options;
}

bool ends_command(Code code) {
  switch (code) {
    case Code::LockBusy:
    case Code::Interrupted:
    case Code::InterruptedAtShutdown:
    case Code::ClientDisconnect:
    case Code::MaxTimeMSExpired:
    case Code::TransactionTooOld:
    case Code::InvalidNamespace:
      return true;
    default:
      return code == kFindAndModifyRetry || code == kFindAndModifyRetryOfInsert || code == kWriteRetry;
  }
}

Status name_collision(const shards::Namespace& ns, Status status) {
  const bool collided = status.code() == Code::DuplicateKey && !status.details().empty();
  return collided ? shards::duplicate_key(ns.full(), status) : std::move(status);
}

Status insert_document(shards::WriteAttempt& attempt, const shards::Namespace& ns, const shards::PartitionSlot& slot,
                       shards::Bytes record_key, bson::View document) {
  CHECK_OK(attempt.validate(document));
  return move_document(attempt, ns, slot, record_key, document);
}

Status move_document(shards::WriteAttempt& attempt, const shards::Namespace& ns, const shards::PartitionSlot& slot,
                     shards::Bytes record_key, bson::View document) {
  Status status = attempt.insert(slot, record_key, document);
  if (status.code() == Code::DuplicateKey && status.details().empty()) {  // The record key itself: _id.
    return shards::duplicate_id(ns.full(), "_id_", document[kId], slot.collation);
  }
  return name_collision(ns, std::move(status));
}

Result<bson::View> prepare_for_insert(bson::View document, shards::Store& store, bson::Buffer& changed) {
  if (document.size() > bson::kMaxDocumentSize) {
    return error(Code::BadValue, "object to insert too large. size in bytes: ", document.size(),
                 ", max size: ", bson::kMaxDocumentSize);
  }
  bool timestamps = false;
  bool id_first = false;
  bson::Value id;
  bool first = true;
  for (const auto& [name, value] : document) {
    if (name == kId) {
      if (!id.missing()) return error(Code::BadValue, "can't have multiple _id fields in one document");
      id = value;
      id_first = first;
    } else {
      timestamps |= is_empty_timestamp(value);
    }
    first = false;
  }
  if (query::nests_too_deep(document)) {
    return error(Code::Overflow, "cannot insert document because it exceeds ", query::kMostLevels, " levels of nesting");
  }
  if (!id.missing()) CHECK_OK(query::check_id(id));
  if (id_first && !timestamps) return document;
  changed.clear();
  {
    bson::Writer out(changed);
    if (id.missing()) {
      out.add(kId, store.object_ids().next());
    } else {
      out.add(kId, id);
    }
    for (const auto& [name, value] : document) {
      if (name == kId) continue;
      if (is_empty_timestamp(value)) {
        out.add(name, bson::Timestamp::from_bits(store.clock().tick()));
      } else {
        out.add(name, value);
      }
    }
  }
  return bson::View::trusted(changed.data());
}

}  // namespace partita::commands
