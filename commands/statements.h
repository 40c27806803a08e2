// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "commands/operation.h"
#include "commands/version.h"
#include "shards/router/write.h"
#include "shards/sessions/retry_rows.h"

/// What write commands share: numbering of statements, their errors in the reply, when a write goes to a worker.
namespace partita::commands {

/// What a reply can still tell of single statements: a batch may have a hundred thousand errors or upserts, and values of
/// many megabytes. Each statement is sure of an error's bare code, so that none goes unmentioned; who comes first has the
/// rest. That a reply cannot be sent must not turn out when all is written.
class ReplyRoom {
 public:
  /// Of a command that answers in one document. As with mongod, texts of errors take a third of it at most.
  static ReplyRoom of_document(std::size_t statements);
  /// Of one whose results are read in batches: they only have to be kept.
  static ReplyRoom of_cursor();

  std::size_t left() const { return left_; }
  void take(std::size_t bytes) { left_ -= bytes; }
  /// Takes the room of the error's text and own fields; false, and nothing taken, when it is not there.
  bool take_text(const Status& status);

 private:
  explicit ReplyRoom(std::size_t bytes);
  std::size_t left_;
  std::size_t texts_left_;
};
/// Fails when the reply has no room for the `{_id: value}` of an upsert; without one there is nothing to fail for.
Status check_reply_room(bson::View upserted, std::size_t room);

/// With w: 0 nobody is told how it went, also where a reply is sent all the same.
inline bool is_unacknowledged(const Operation& operation) {
  const WriteConcern& concern = operation.generic().write_concern;
  return !concern.acknowledged && !concern.journaled;
}

/// Errors of single statements; the command itself succeeds.
class WriteErrors {
 public:
  explicit WriteErrors(std::size_t statements = kMaxWriteBatchSize) : room_(ReplyRoom::of_document(statements)) {}
  /// Keeps the text as long as there is room for it in the reply.
  void add(std::size_t index, Status status);
  bool empty() const { return errors_.empty(); }
  struct One {
    std::size_t index;
    Status status;
  };
  /// In the order in which they happened.
  const std::vector<One>& all() const { return errors_; }
  /// `writeErrors: [{index, code, errmsg, ...}]`, or nothing.
  void write(bson::Writer& reply) const;
  /// For what else the reply tells of its statements.
  ReplyRoom& room() { return room_; }

 private:
  std::vector<One> errors_;
  ReplyRoom room_;
};
/// `code`, the error's own fields, `errmsg`.
void write_error(const Status& status, bson::Writer& to);

/// A command has between one and maxWriteBatchSize statements.
Status check_batch_size(std::size_t statements);

/// What tells the statements of one command apart when it is sent a second time: stmtId says with which number they
/// begin, stmtIds gives each its own; without both they begin with 0.
class StatementNumbers {
 public:
  static Result<StatementNumbers> parse(std::string_view command, bson::Value first, bson::Value list, std::size_t count);
  std::int32_t at(std::size_t place) const {
    if (!list_.empty()) return list_[place];
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(first_) + static_cast<std::uint32_t>(place));  // May go round.
  }

 private:
  std::int32_t first_ = 0;
  std::vector<std::int32_t> list_;
};

/// The session, number and statement of a retryable write; nullopt for a write that is none.
std::optional<shards::StatementId> statement_id(const Operation& operation, std::int32_t statement);

/// A statement that an earlier sending may have done already.
struct Retryable {
  shards::StatementId id;
  shards::StatementKind kind = shards::StatementKind::kInsert;
  /// It names its record key itself, and is noted where the document is. Any other is noted in the session's home.
  bool keyed = true;
};
/// The partition that notes the statement, with its gate passed. `slot` is that of the document.
Result<const shards::PartitionSlot*> retry_slot(shards::WriteAttempt& attempt, const shards::PartitionSlot& slot,
                                                const Retryable& statement);

/// `retriedStmtIds: [...]`, or nothing: which statements had been done by an earlier sending.
void write_retried(const std::vector<std::int32_t>& statements, bson::Writer& reply);

/// What is known of the statement when it has come before. Asked of an attempt, of two copies that race only one commits.
/// Fails, which ends the command, when it was a statement of another kind, or is long past.
Result<shards::EarlierStatement> find_earlier(shards::WriteAttempt& attempt, const shards::PartitionSlot& slot,
                                              const Retryable& statement);
Result<shards::EarlierStatement> find_earlier(shards::Session& session, shards::TableId retry_table,
                                              const shards::PartitionSlot& slot, const Retryable& statement);

shards::WriteOptions write_options(Operation& operation, bool create_collection);

/// Whether a failure of one statement is the whole command's: the caller has to be told to come again, or is gone.
bool ends_command(Code code);

/// A DuplicateKey of the storage layers in MongoDB's words; any other status as it is.
Status name_collision(const shards::Namespace& ns, Status status);
/// Inserts one document in an attempt, if the collection's validator lets it; a collision is told in MongoDB's words.
Status insert_document(shards::WriteAttempt& attempt, const shards::Namespace& ns, const shards::PartitionSlot& slot,
                       shards::Bytes record_key, bson::View document);

/// The same for one that comes from another place of the collection, and has been asked for.
Status move_document(shards::WriteAttempt& attempt, const shards::Namespace& ns, const shards::PartitionSlot& slot,
                     shards::Bytes record_key, bson::View document);

/// Sizes, depth and names that every stored document obeys. Gives the document an _id in front where it has none and
/// sets an empty top-level timestamp to the time, copying it into `changed` then; otherwise returns it as it is.
Result<bson::View> prepare_for_insert(bson::View document, shards::Store& store, bson::Buffer& changed);

}  // namespace partita::commands
