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
      scan_(operation.server().store, std::move(collection), std::move(order)) {}

Result<std::vector<std::string>> Targets::next(std::size_t most) {
  std::vector<std::string> keys;
  if (scan_.exhausted()) return keys;
  CHECK_OK(scan_.resume());
  for (int rows = 1; keys.size() < most; ++rows) {
    if (rows % kInterruptInterval == 0) CHECK_OK(operation_.check_interrupt());
    TRY(const bool more, scan_.next());
    if (!more) break;
    TRY(const bson::View document, scan_.document());
    query::MatchState state;
    const bool matches = matcher_.matches(document, state);
    CHECK_OK(std::move(state.failure));
    if (!matches) continue;
    const shards::Bytes key = scan_.record_key();
    keys.emplace_back(reinterpret_cast<const char*>(key.data()), key.size());
  }
  scan_.suspend();
  return keys;
}

}  // namespace partita::commands
