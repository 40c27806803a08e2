// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <variant>

#include "query/sort/external_sort.h"
#include "query/sort/sort_figures.h"
#include "query/sort/sort_keys.h"
#include "query/sort/top_rows.h"

namespace partita::query {

struct SorterOptions {
  std::uint64_t limit = 0;  ///< Only that many rows will be read; 0 for all.
  std::size_t memory_limit = 100 * 1024 * 1024;
  RunFiles* files = nullptr;  ///< Where rows go that do not fit; null where they may not.
};

/// Sorts documents: all are added, then finish(), then next() gives them in order. Equal ones come in the order of their
/// record keys, so that the order is always total. With a limit only the rows that can still be among the first are
/// kept. Documents are copied when they are kept; no other memory is taken per document. One thread at a time.
class Sorter {
 public:
  explicit Sorter(const SortSpec& spec, SorterOptions options = {});

  /// Fails with QueryExceededMemoryLimitNoDiskUseAllowed when the rows to keep outgrow the memory allowed, and may not go
  /// into files.
  /// Inline up to where a row is wanted: with a limit hardly any is, and 50,000 calls are a tenth of finding the first
  /// hundred rows of as many.
  Status add(bson::View document, std::span<const std::uint8_t> record_key) {
    const auto* top = std::get_if<TopRows>(&rows_);
    if (top == nullptr || !top->full() || !keys_.has_plain_first()) return consider(document, record_key, nullptr);
    const bson::Value first = keys_.first_of(document);
    if (top->beyond(keys_.floor(first))) return {};
    return consider(document, record_key, &first);
  }
  /// No more documents are coming.
  Status finish();
  /// False at the end. The row is valid until the next call, and as long as the Sorter if rows stay; its key is the sort key
  /// with the record key behind it.
  Result<bool> next(SortedRow& row);
  bool rows_stay() const;
  std::size_t memory() const;
  SortFigures figures() const;

 private:
  Status go_on_with_all();
  Status consider(bson::View document, std::span<const std::uint8_t> record_key, const bson::Value* first);

  SortKeys keys_;
  SorterOptions options_;
  std::variant<ExternalSort, TopRows> rows_;
  bson::Buffer key_;
  std::size_t read_ = 0;
};

}  // namespace partita::query
