// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/scan_source.h"

#include <algorithm>

#include "shards/store.h"

namespace partita::commands {

ScanSource::ScanSource(shards::Store& store, std::shared_ptr<const shards::Collection> collection,
                       shards::ScanOrder order, std::optional<query::FieldSet> fields)
    : scan_(store, std::move(collection), std::move(order)) {
  if (!fields || fields->size() > query::FieldGather::kMostNames) return;
  fields_.emplace();
  for (const std::string& name : *fields) fields_->add(name);
}

bson::View ScanSource::keep_needed(bson::View document, query::Arena& arena) const {
  if (fields_) return fields_->cut(document, arena);
  return bson::View::trusted(arena.copy(document.bytes()).data());
}

Status ScanSource::resume() {
  CHECK_OK(operation_->check_interrupt());
  if (!resumed_) CHECK_OK(scan_.resume());
  resumed_ = true;
  return {};
}

Result<bool> ScanSource::next(bson::View& document) {
  TRY(const bool more, scan_.next());
  if (!more) return false;
  TRY(document, scan_.document());
  return true;
}

Status ScanSource::pull(query::Batch& out) {
  out.clear();
  CHECK_OK(resume());
  bson::View document;
  std::size_t bytes = 0;
  while (out.size() < batch_rows_ && bytes < query::Batch::kBytes) {
    TRY(const bool more, next(document));
    if (!more) break;
    const bson::View kept = keep_needed(document, out.arena);
    bytes += kept.size();
    out.rows.push_back({kept, out.arena.copy(scan_.record_key())});
  }
  batch_rows_ = std::min(2 * batch_rows_, query::Batch::kRows);
  return {};
}

Status ScanSource::drain(query::RowSink& sink) {
  CHECK_OK(resume());
  bson::View document;
  for (std::size_t rows = 1;; ++rows) {
    TRY(const bool more, next(document));
    if (!more) return {};
    CHECK_OK(sink.take({document, scan_.record_key()}));
    if (rows % query::Batch::kRows == 0) CHECK_OK(operation_->check_interrupt());
  }
}

}  // namespace partita::commands
