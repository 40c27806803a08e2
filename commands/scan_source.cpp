// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/scan_source.h"

#include "shards/store.h"

namespace partita::commands {

ScanSource::ScanSource(shards::Store& store, std::shared_ptr<const shards::Collection> collection,
                       shards::ScanOrder order, const query::Matcher* filter, std::optional<query::FieldSet> fields)
    : scan_(store, std::move(collection), std::move(order)), filter_(filter) {
  if (!fields || fields->size() > query::FieldGather::kMostNames) return;
  fields_.emplace();
  for (const std::string& name : *fields) fields_->add(name);
}

bson::View ScanSource::keep_needed(bson::View document, query::Arena& arena) const {
  if (fields_) return fields_->cut(document, arena);
  return bson::View::trusted(arena.copy(document.bytes()).data());
}

Status ScanSource::pull(query::Batch& out) {
  out.clear();
  CHECK_OK(operation_->check_interrupt());
  if (!resumed_) {
    CHECK_OK(scan_.resume());
    resumed_ = true;
  }
  std::size_t bytes = 0;
  while (out.size() < query::Batch::kRows && bytes < query::Batch::kBytes) {
    TRY(const bool more, scan_.next());
    if (!more) break;
    TRY(const bson::View document, scan_.document());
    if (filter_ != nullptr && !filter_->matches(document, match_state_)) {
      if (!match_state_.failure.ok()) return std::move(match_state_.failure);
      continue;
    }
    const bson::View kept = keep_needed(document, out.arena);
    bytes += kept.size();
    out.rows.push_back({kept, out.arena.copy(scan_.record_key())});
  }
  return {};
}

}  // namespace partita::commands
