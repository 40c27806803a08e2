// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/metrics.h"

#include <cassert>

namespace partita::commands {

std::size_t Metrics::thread_number() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

void Metrics::count(const Finished& finished) {
  assert(finished.command->number < kMaxCommands);
  Stripe& stripe = mine();
  CommandCounters& command = stripe.commands[finished.command->number];
  command.total.add(1);
  command.micros.add(finished.micros);
  if (finished.failed) command.failed.add(1);
  stripe.requests.add(1);
  stripe.bytes_in.add(static_cast<std::int64_t>(finished.bytes_in));
  stripe.bytes_out.add(static_cast<std::int64_t>(finished.bytes_out));
  // Most commands move one of these numbers, or none: a zero costs a comparison instead of a locked addition.
  const auto add = [](Counter& counter, std::int64_t more) {
    if (more != 0) counter.add(more);
  };
  add(stripe.returned, finished.documents.returned);
  add(stripe.inserted, finished.documents.inserted);
  add(stripe.updated, finished.documents.updated);
  add(stripe.deleted, finished.documents.deleted);
  add(stripe.update_statements, finished.documents.update_statements);
  add(stripe.delete_statements, finished.documents.delete_statements);
  add(stripe.keys_examined, finished.documents.keys_examined);
  add(stripe.docs_examined, finished.documents.docs_examined);
}

void Metrics::count_refused(std::size_t bytes_in, std::size_t bytes_out) {
  Stripe& stripe = mine();
  stripe.requests.add(1);
  stripe.refused.add(1);
  stripe.bytes_in.add(static_cast<std::int64_t>(bytes_in));
  stripe.bytes_out.add(static_cast<std::int64_t>(bytes_out));
}

Metrics::CommandTotals Metrics::of(const Command& command) const {
  CommandTotals totals;
  for (const Stripe& stripe : stripes_) {
    const CommandCounters& counters = stripe.commands[command.number];
    totals.total += counters.total.get();
    totals.failed += counters.failed.get();
    totals.micros += counters.micros.get();
  }
  return totals;
}

Metrics::NetworkTotals Metrics::network() const {
  NetworkTotals totals;
  for (const Stripe& stripe : stripes_) {
    totals.requests += stripe.requests.get();
    totals.bytes_in += stripe.bytes_in.get();
    totals.bytes_out += stripe.bytes_out.get();
    totals.refused += stripe.refused.get();
  }
  return totals;
}

DocumentCounts Metrics::documents() const {
  DocumentCounts totals;
  for (const Stripe& stripe : stripes_) {
    totals.returned += stripe.returned.get();
    totals.inserted += stripe.inserted.get();
    totals.updated += stripe.updated.get();
    totals.deleted += stripe.deleted.get();
    totals.update_statements += stripe.update_statements.get();
    totals.delete_statements += stripe.delete_statements.get();
    totals.keys_examined += stripe.keys_examined.get();
    totals.docs_examined += stripe.docs_examined.get();
  }
  return totals;
}

}  // namespace partita::commands
