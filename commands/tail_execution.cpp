// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/tail_execution.h"

#include "shards/router/collection_scan.h"
#include "shards/router/record_keys.h"

namespace partita::commands {
namespace {

/// Rows between two looks at the clock and the client.
constexpr std::int64_t kInterruptInterval = 512;

}  // namespace

TailExecution::TailExecution(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query, bool awaits)
    : FindRun(std::move(query)), store_(store), collection_(std::move(collection)), awaits_(awaits) {}

Status TailExecution::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  begin(fill);
  if (ended() || fill.full()) return {};
  shards::CollectionScan scan(store_, collection_, order_, {.lower = last_, .upper = {}});
  scan.interrupt_by([&operation] { return operation.check_interrupt(); });
  CHECK_OK(scan.resume());
  Status status = last_.empty() ? Status() : find_place(scan);
  if (status.ok()) status = fill_from(operation, scan, fill);
  scan.suspend();
  return status;
}

/// The document that was looked at last comes first: if it is gone, others behind it may be too.
Status TailExecution::find_place(shards::CollectionScan& scan) {
  TRY(const bool any, scan.next());
  if (any && std::ranges::equal(scan.record_key(), shards::bytes_of(last_))) return {};
  return error(Code::CappedPositionLost, "CollectionScan died due to failure to restore tailable cursor position. Last seen record "
               "id: RecordId(", shards::number_of_key(shards::bytes_of(last_)), ")");
}

Status TailExecution::fill_from(Operation& operation, shards::CollectionScan& scan, BatchFill& fill) {
  while (true) {
    TRY(const bool more, scan.next());
    if (!more) return {};
    if (++examined_ % kInterruptInterval == 0) CHECK_OK(operation.check_interrupt());
    const shards::Bytes key = scan.record_key();
    last_.assign(reinterpret_cast<const char*>(key.data()), key.size());
    TRY(const bson::View document, scan.document());
    const bool matches = query().matcher.matches_everything() || query().matcher.matches(document, match_state_);
    if (!match_state_.failure.ok()) return std::move(match_state_.failure);
    if (!matches) continue;
    ++matched_;
    TRY(const bool goes_on, hand_on(fill, document));
    if (!goes_on) return {};
  }
}

}  // namespace partita::commands
