// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/cursor_reply.h"

#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/shown_operation.h"

namespace partita::commands {
namespace {

/// Documents that a command has gathered: given out one after the other.
class GatheredDocuments final : public Execution {
 public:
  explicit GatheredDocuments(std::vector<bson::Document> documents)
      : documents_(std::move(documents)), memory_(size_of(documents_)) {}

  Status fill(Operation&, bson::ArrayWriter& batch, const BatchLimits& limits) override {
    BatchFill fill(batch, limits);
    while (!exhausted() && !fill.full() && fill.fits(documents_[next_].view().size())) fill.add(documents_[next_++]);
    return {};
  }
  bool exhausted() const override { return next_ == documents_.size(); }
  std::size_t memory() const override { return memory_; }
  std::string plan_summary() const override { return "EOF"; }
  std::int64_t keys_examined() const override { return 0; }
  std::int64_t documents_examined() const override { return 0; }

 private:
  std::vector<bson::Document> documents_;
  std::size_t memory_;
  std::size_t next_ = 0;
};

}  // namespace

Status fill_batch(Operation& operation, Execution& execution, bson::ArrayWriter& batch, const BatchLimits& limits) {
  const std::int64_t keys = execution.keys_examined();
  const std::int64_t documents = execution.documents_examined();
  CHECK_OK(execution.fill(operation, batch, limits));
  OperationStats& stats = operation.stats();
  stats.documents.keys_examined = execution.keys_examined() - keys;
  stats.documents.docs_examined = execution.documents_examined() - documents;
  stats.documents.returned = batch.count();
  if (operation.tells_plan()) stats.plan_summary = execution.plan_summary();
  return {};
}

Status answer_first_batch(Operation& operation, const shards::Namespace& ns, std::unique_ptr<Execution> execution,
                          const BatchLimits& limits, CursorOptions options, bson::Writer& reply) {
  bson::Writer cursor = reply.document("cursor");
  {
    bson::ArrayWriter batch = cursor.array("firstBatch");
    CHECK_OK(fill_batch(operation, *execution, batch, limits));
  }
  CHECK_OK(execution->premise().check(operation.server().store));
  CHECK_OK(execution->premise().end_watch(execution->exhausted()));
  execution->add_to_cursor(cursor);
  std::int64_t id = 0;
  if (!execution->exhausted() && !options.single_batch) {
    CHECK_OK(operation.check_interrupt());  // Nobody would learn its id.
    ClientCursor kept;
    kept.ns = ns.full();
    kept.session = operation.generic().session;
    kept.execution = std::move(execution);
    kept.no_timeout = options.no_timeout;
    if (operation.deadline()) kept.time_left = *operation.deadline() - std::chrono::steady_clock::now();
    kept.command = shown_command(operation.body());
    kept.documents_returned = operation.stats().documents.returned;
    kept.batches_returned = 1;
    TRY(id, operation.server().cursors.add(std::move(kept)));
  }
  cursor.add("id", id);
  cursor.add("ns", ns.full());
  return {};
}

Status answer_documents(Operation& operation, const shards::Namespace& ns, std::vector<bson::Document> documents,
                        const BatchLimits& limits, bson::Writer& reply) {
  return answer_first_batch(operation, ns, std::make_unique<GatheredDocuments>(std::move(documents)), limits, {}, reply);
}

Status write_empty_cursor(const shards::Namespace& ns, bson::Writer& reply) {
  bson::Writer cursor = reply.document("cursor");
  cursor.add("id", std::int64_t{0});
  cursor.add("ns", ns.full());
  cursor.array("firstBatch").close();
  return {};
}

Result<BatchLimits> parse_cursor_argument(std::string_view command, bson::Value cursor) {
  BatchLimits limits;
  if (cursor.missing() || cursor.is_null()) return limits;
  if (!cursor.is_document()) return wrong_type(command, "cursor", cursor, "object");
  for (const auto& [name, value] : cursor.as_document()) {
    if (name != "batchSize") return unknown_field(partita::detail::join(command, ".cursor"), name);
    CHECK_OK(detail::read(limits.documents, value, command, "cursor.batchSize"));
    if (limits.documents < 0) {
      return error(Code{51024}, "BSON field 'batchSize' value must be >= 0, actual value '", limits.documents, "'");
    }
  }
  return limits;
}

}  // namespace partita::commands
