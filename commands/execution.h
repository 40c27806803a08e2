// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "commands/plan.h"
#include "wire/bson/document.h"
#include "wire/bson/nesting.h"
#include "wire/bson/validate.h"

namespace partita::commands {

/// How much one batch of a cursor may hold.
struct BatchLimits {
  static constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;
  std::int64_t documents = 101;
  std::size_t bytes = kMaxBytes;
};

/// What is computed for an answer may grow larger than any document may be, or nest deeper: nobody is sent that.
inline Status check_result(bson::View computed) {
  if (computed.size() <= bson::kMaxDocumentSize) [[likely]] return bson::check_nesting(computed);
  return error(Code::BSONObjectTooLarge, "BSONObj size: ", computed.size(), " is invalid. Size must be between 0 and ", bson::kMaxDocumentSize);
}

inline std::size_t size_of(const std::vector<bson::Document>& documents) {
  std::size_t bytes = 0;
  for (const bson::Document& document : documents) bytes += document.view().size();
  return bytes;
}

/// A query being answered, batch by batch. Between batches it holds nothing of the engine, so that a client may take its
/// time; its cursor owns it. One thread at a time.
class Execution {
 public:
  virtual ~Execution() = default;
  /// Adds documents to `batch` until a limit is met or there are no more. A document that would not fit any more waits
  /// for the next batch; the first one always goes in.
  virtual Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) = 0;
  /// No more documents are to come.
  virtual bool exhausted() const = 0;
  /// Bytes that it keeps until it is asked again.
  virtual std::size_t memory() const = 0;
  /// For the slow-query log.
  virtual std::string plan_summary() const = 0;
  virtual std::int64_t keys_examined() const = 0;
  virtual std::int64_t documents_examined() const = 0;
  /// Where more is to be waited for when a batch would be empty; nullptr: nobody waits.
  virtual shards::Tail* awaited() const { return nullptr; }
  /// Its cursor stays open behind the last document.
  virtual bool tailable() const { return false; }
  /// What the reply's cursor tells beside its batch.
  virtual void add_to_cursor(bson::Writer&) const {}

  /// What its plan takes for granted: to be checked when the first batch is filled. Later ones need not hold what has come
  /// since.
  const PlanPremise& premise() const { return premise_; }
  void set_premise(PlanPremise premise) { premise_ = std::move(premise); }

 private:
  PlanPremise premise_;
};

/// The documents of one batch: counts against its limits.
class BatchFill {
 public:
  BatchFill(bson::ArrayWriter& batch, const BatchLimits& limits) : batch_(batch), limits_(limits) {}
  bool full() const { return count_ >= limits_.documents; }
  bool fits(std::size_t bytes) const { return count_ == 0 || batch_.size() + bytes <= limits_.bytes; }
  void add(bson::View document) {
    batch_.push(document);
    ++count_;
  }
  std::int64_t count() const { return count_; }

 private:
  bson::ArrayWriter& batch_;
  const BatchLimits& limits_;
  std::int64_t count_ = 0;
};

}  // namespace partita::commands
