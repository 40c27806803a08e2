// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/targets.h"

#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// Rows between two looks at the clock and the client.
constexpr int kInterruptInterval = 512;

}  // namespace

Targets::Targets(Operation& operation, std::shared_ptr<const shards::Collection> collection,
                 const query::Matcher& matcher, shards::ScanOrder order)
    : operation_(operation),
      matcher_(matcher),
      scan_(operation.server().store, std::move(collection), std::move(order)) {
  scan_.interrupt_by([&operation] { return operation.check_interrupt(); });
}

Result<bool> Targets::next_match(bson::View& document) {
  while (true) {
    TRY(const bool more, scan_.next());
    if (!more) return false;
    if (++rows_ % kInterruptInterval == 0) CHECK_OK(operation_.check_interrupt());
    TRY(document, scan_.document());
    const bool matches = matcher_.matches(document, state_);
    if (!state_.failure.ok()) return std::move(state_.failure);
    if (matches) return true;
  }
}

Result<std::vector<std::string>> Targets::next(std::size_t most) {
  std::vector<std::string> keys;
  if (scan_.exhausted()) return keys;
  CHECK_OK(scan_.resume());
  while (keys.size() < most) {
    bson::View document;
    TRY(const bool more, next_match(document));
    if (!more) break;
    const shards::Bytes key = scan_.record_key();
    keys.emplace_back(reinterpret_cast<const char*>(key.data()), key.size());
  }
  scan_.suspend();
  return keys;
}

}  // namespace partita::commands
