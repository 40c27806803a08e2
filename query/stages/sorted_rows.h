// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/sort/sorter.h"
#include "query/stages/batch.h"

namespace partita::query {

/// Fills an empty batch with the sorter's next rows, not more than `most`. Those that the sorter does not keep are copied into
/// the batch; returns how many bytes that took.
inline Result<std::size_t> take_sorted(Sorter& sorter, Batch& out, std::size_t most = Batch::kRows) {
  const bool rows_stay = sorter.rows_stay();
  std::size_t copied = 0;
  while (out.size() < most && copied < Batch::kBytes) {
    SortedRow row;
    TRY(const bool more, sorter.next(row));
    if (!more) break;
    if (!rows_stay) {
      row = {bson::View::trusted(out.arena.copy(row.document.bytes()).data()), out.arena.copy(row.key)};
      copied += row.document.size() + row.key.size();
    }
    out.rows.push_back({row.document, row.key});
  }
  return copied;
}

}  // namespace partita::query
