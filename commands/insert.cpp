// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/statements.h"
#include "shards/router/record_keys.h"

namespace partita::commands {
namespace {

using shards::WriteAttempt;

struct InsertRequest {
  Documents documents;
  bool ordered = true;
  bool bypass_validation = false;
};

const Arguments<InsertRequest> kArguments{
    {"documents", &InsertRequest::documents, true},
    {"ordered", &InsertRequest::ordered},
    {"bypassDocumentValidation", &InsertRequest::bypass_validation},
};

constexpr std::size_t kMaxBatch = 100'000;
/// A single document is stored on the spot. More are work for a worker, where nothing has to be given up half-way.
constexpr std::size_t kMaxOnCore = 1;
/// One log record and one engine transaction for so many documents, or bytes, at most.
constexpr std::size_t kMaxInUnit = 1000;
constexpr std::size_t kMaxUnitBytes = 4 << 20;

/// Documents of one command, each ready to be stored or known to be refused.
class Insertion {
 public:
  Insertion(Operation& operation, const shards::Namespace& ns)
      : operation_(operation), store_(operation.server().store), ns_(ns), options_(write_options(operation, true)) {}

  Status prepare(const Documents& documents);
  /// Stores everything that it can, as far as `ordered` lets it. Fails only with what ends the command.
  Status run(bool ordered);

  std::int32_t inserted() const { return inserted_; }
  const WriteErrors& errors() const { return errors_; }
  const std::vector<std::int32_t>& retried() const { return retried_; }

 private:
  struct Prepared {
    bson::View document;
    Status refused;
  };
  /// Stores [begin, end) in one unit, or as many as go before one fails; returns where to go on, and adds the error.
  Result<std::size_t> run_unit(std::size_t begin, std::size_t end);
  Status insert_range(WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed);
  Status insert_one(WriteAttempt& attempt, std::size_t index);
  Status note_retries(WriteAttempt& attempt);
  std::size_t unit_end(std::size_t begin) const;

  Operation& operation_;
  shards::Store& store_;
  const shards::Namespace& ns_;
  const shards::WriteOptions options_;
  std::vector<Prepared> prepared_;
  std::vector<bson::Document> changed_;  ///< What prepared documents point into when they had to be changed.
  bson::Buffer scratch_;
  bson::Buffer key_;
  WriteErrors errors_;
  std::int32_t inserted_ = 0;
  std::vector<std::int32_t> retried_;

  /// Statements that this attempt has stored, by partition, as ranges of neighbours.
  struct Stored {
    shards::PartitionId partition;
    std::int32_t first;
    std::int32_t last;
  };
  std::vector<Stored> stored_;
  std::vector<std::int32_t> repeated_;
};

Status Insertion::prepare(const Documents& documents) {
  const std::size_t count = documents.count();
  if (count == 0 || count > kMaxBatch) {
    return error(Code::InvalidLength, "Write batch sizes must be between 1 and ", kMaxBatch, ". Got ", count, " operations.");
  }
  prepared_.reserve(count);
  return documents.for_each([&](bson::View document) -> Status {
    Result<bson::View> ready = prepare_for_insert(document, store_, scratch_);
    if (!ready.ok()) {
      prepared_.push_back({document, std::move(ready).status()});
    } else if (ready->data() == document.data()) {
      prepared_.push_back({document, {}});
    } else {
      changed_.push_back(bson::Document(std::exchange(scratch_, bson::Buffer())));
      prepared_.push_back({changed_.back().view(), {}});
    }
    return {};
  });
}

std::size_t Insertion::unit_end(std::size_t begin) const {
  std::size_t end = begin;
  std::size_t bytes = 0;
  while (end < prepared_.size() && end - begin < kMaxInUnit && prepared_[end].refused.ok()) {
    bytes += prepared_[end].document.size();
    if (bytes > kMaxUnitBytes && end > begin) break;
    ++end;
  }
  return end;
}

Status Insertion::run(bool ordered) {
  for (std::size_t at = 0; at < prepared_.size();) {
    if (!prepared_[at].refused.ok()) {
      errors_.add(at, prepared_[at].refused);
      ++at;
    } else {
      TRY(at, run_unit(at, unit_end(at)));
    }
    if (ordered && !errors_.empty()) return {};
  }
  return {};
}

Result<std::size_t> Insertion::run_unit(std::size_t begin, std::size_t end) {
  std::size_t failed = end;
  const auto attempt_range = [&](WriteAttempt& attempt) { return insert_range(attempt, begin, end, failed); };
  Status status = shards::write(store_, ns_, options_, attempt_range);
  if (!status.ok() && ends_command(status.code())) return status;
  std::size_t behind = end;
  if (!status.ok()) {
    // One document stood in the way and the whole unit was undone: those before it go in now, without it.
    const std::size_t culprit = std::min(failed, end - 1);
    behind = culprit + 1;
    if (culprit > begin) {
      TRY(const std::size_t reached, run_unit(begin, culprit));
      if (reached < culprit) return reached;  // Another one failed now: its error has been added.
    }
    errors_.add(culprit, std::move(status));
    return behind;
  }
  inserted_ += static_cast<std::int32_t>(end - begin);
  retried_.insert(retried_.end(), repeated_.begin(), repeated_.end());
  return behind;
}

Status Insertion::insert_range(WriteAttempt& attempt, std::size_t begin, std::size_t end, std::size_t& failed) {
  stored_.clear();
  repeated_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    failed = i;
    CHECK_OK(insert_one(attempt, i));
  }
  failed = end;
  return note_retries(attempt);
}

Status Insertion::insert_one(WriteAttempt& attempt, std::size_t index) {
  const bson::View document = prepared_[index].document;
  key_.clear();
  shards::append_record_key(attempt.collection(), document, key_);
  const shards::PartitionSlot& slot = attempt.collection().locate(key_.bytes());
  CHECK_OK(attempt.enter(slot));
  const shards::PartitionId partition = slot.partition->id();
  const auto statement = static_cast<std::int32_t>(index);
  if (const auto id = statement_id(operation_, statement)) {
    TRY(const auto earlier, earlier_outcome(attempt, partition, *id, store_.tables().retry));
    if (earlier) {
      repeated_.push_back(statement);
      return {};
    }
  }
  CHECK_OK(insert_document(attempt, ns_, slot, key_.bytes(), document));
  if (!stored_.empty() && stored_.back().partition == partition && stored_.back().last + 1 == statement) {
    stored_.back().last = statement;
  } else {
    stored_.push_back({partition, statement, statement});
  }
  return {};
}

Status Insertion::note_retries(WriteAttempt& attempt) {
  for (const Stored& stored : stored_) {
    const auto id = statement_id(operation_, stored.first);
    if (!id) return {};
    CHECK_OK(attempt.unit().note_retry(stored.partition, *id, {stored.first, stored.last, {}}));
  }
  return {};
}

Status insert(Operation& operation, bson::Writer& reply) {
  TRY(const InsertRequest request, kArguments.parse("insert", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  if (request.documents.count() > kMaxOnCore && !operation.on_worker()) return operation.to_worker();

  Insertion insertion(operation, ns);
  CHECK_OK(insertion.prepare(request.documents));
  Status status = insertion.run(request.ordered);
  if (status.code() == Code::LockBusy && !operation.on_worker()) return operation.to_worker();
  CHECK_OK(std::move(status));

  operation.stats().documents.inserted = insertion.inserted();
  reply.add("n", insertion.inserted());
  insertion.errors().write(reply);
  if (!insertion.retried().empty()) {
    bson::ArrayWriter retried = reply.array("retriedStmtIds");
    for (const std::int32_t statement : insertion.retried()) retried.push(statement);
  }
  if (operation.generic().write_concern.journaled) operation.await_durability();
  return {};
}

const Register kInsert{{
    .name = "insert",
    .help = "Inserts documents into a collection, which is made when it is not there.",
    .rights = Rights::kWrite,
    .target = Target::kCollection,
    .retryable_write = true,
    .run = insert,
}};

}  // namespace
}  // namespace partita::commands
