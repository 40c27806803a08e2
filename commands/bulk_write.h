// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <variant>
#include <vector>

#include "commands/arguments.h"
#include "commands/modify.h"
#include "commands/variables.h"
#include "wire/bson/document.h"

/// bulkWrite, of MongoDB 8.0: inserts, updates and deletes in one command, over several collections.
namespace partita::commands {

struct InsertStatement {
  bson::View document;
};

/// One entry of `ops`: what to do, and in which of the namespaces that `nsInfo` lists.
struct BulkOperation {
  std::size_t ns = 0;
  std::variant<InsertStatement, UpdateStatement, DeleteStatement> statement;

  const InsertStatement* insert() const { return std::get_if<InsertStatement>(&statement); }
};

/// The namespaces, checked: such as may be written to.
Result<std::vector<shards::Namespace>> parse_namespaces(const Documents& ns_info);
/// The operations, checked as far as that goes before they are run; they point into the request.
Result<std::vector<BulkOperation>> parse_operations(const Documents& ops, std::size_t namespaces);

/// What all operations together did.
struct BulkCounts {
  std::int32_t errors = 0;
  std::int32_t inserted = 0;
  std::int32_t matched = 0;
  std::int32_t modified = 0;
  std::int32_t upserted = 0;
  std::int32_t deleted = 0;
};

/// Carries the operations out, one after the other; inserts into one collection that stand together go in together.
class BulkExecution {
 public:
  struct Options {
    const query::ExpressionContext& context;
    bool ordered = true;
    bool errors_only = false;
    StatementNumbers numbers;
  };
  /// All of it must outlive the execution.
  BulkExecution(Operation& operation, const std::vector<shards::Namespace>& namespaces,
                const std::vector<BulkOperation>& operations, const Options& options)
      : operation_(operation), namespaces_(namespaces), operations_(operations), options_(options) {}

  /// Fails only with what ends the command; what goes wrong with one operation is a result.
  Status run();

  const BulkCounts& counts() const { return counts_; }
  const std::vector<std::int32_t>& retried() const { return retried_; }
  /// One document for each operation that was tried; with errors_only, for each that failed.
  std::vector<bson::Document> take_results() { return std::move(results_); }

 private:
  /// Runs the operation at `at` and those that go with it; returns where to go on.
  Result<std::size_t> run_from(std::size_t at);
  Result<std::size_t> run_inserts(std::size_t at);
  Status run_one(std::size_t at, const UpdateStatement& statement);
  Status run_one(std::size_t at, const DeleteStatement& statement);
  bool stopped() const { return options_.ordered && counts_.errors > 0; }
  void add_failure(std::size_t at, const Status& status, bool is_update);
  void add_success(std::size_t at, const Outcome& outcome, bool is_update);

  Operation& operation_;
  const std::vector<shards::Namespace>& namespaces_;
  const std::vector<BulkOperation>& operations_;
  const Options& options_;
  BulkCounts counts_;
  std::vector<std::int32_t> retried_;
  std::vector<bson::Document> results_;
  ReplyRoom room_ = ReplyRoom::of_cursor();
};

}  // namespace partita::commands
