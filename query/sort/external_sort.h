// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/sort/loser_tree.h"
#include "query/sort/row_run.h"
#include "query/sort/run_file.h"
#include "wire/bson/buffer.h"

namespace partita::query {

/// Sorts any number of rows by their keys in bounded memory: what outgrows it is sorted and written out, a run, and the
/// runs are merged while they are read. All are added, then finish(), then next() gives them in order; of equal keys the
/// order is not said. One thread at a time.
class ExternalSort {
 public:
  /// Without `files` there is nowhere to write to: rows that outgrow the memory make add() fail with
  /// QueryExceededMemoryLimitNoDiskUseAllowed.
  struct Options {
    std::size_t memory_limit = 0;
    RunFiles* files = nullptr;
  };
  explicit ExternalSort(Options options) : options_(options) {}

  Status add(KeyedBytes row) {
    rows_.add(row);
    return rows_.memory() <= options_.memory_limit ? Status() : overflow();
  }
  Status finish();
  /// False at the end. The row is valid until the next call; if nothing was written out, as long as this.
  Result<bool> next(KeyedBytes& row);

  /// All that were added.
  std::size_t size() const { return in_file_ + rows_.size(); }
  std::size_t memory() const;
  bool spilled() const { return !runs_.empty(); }
  std::size_t runs() const { return runs_.size(); }
  std::uint64_t spilled_bytes() const { return written_; }
  /// Of all rows and their keys.
  std::uint64_t bytes() const;

 private:
  /// A run in the file, and the part of it that is in memory.
  struct Run {
    std::uint64_t at;  ///< What is left in the file.
    std::uint64_t end;
    bson::Buffer bytes{};
    std::size_t read = 0;  ///< Of the bytes.
    KeyedBytes row{};
  };
  Status overflow();
  Status write_run();
  Status write_out();
  Result<bool> advance(std::size_t source);
  Result<bool> advance(Run& run);
  Status fetch(Run& run, std::size_t wanted);

  Options options_;
  RowRun rows_;
  std::unique_ptr<RunFile> file_;
  std::vector<Run> runs_;
  bson::Buffer out_;              ///< On its way into the file.
  std::uint64_t written_ = 0;
  std::size_t in_file_ = 0;       ///< Rows.
  std::size_t next_ = 0;          ///< Of rows_.
  KeyedBytes from_memory_{};      ///< The merge's last source: rows_.
  std::optional<LoserTree> merge_;
  bool given_ = false;            ///< The merge's winner has been given out.
};

}  // namespace partita::query
