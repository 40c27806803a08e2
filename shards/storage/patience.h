// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::shards {

/// Says, for as long as it lives, that this thread serves others too and must not wait for room in the cache: what it does
/// with sessions leased meanwhile fails with LockBusy instead, a few milliseconds after the cache was found full, and is
/// to be done again on a worker. Scopes do not nest.
class NoWaiting {
 public:
  NoWaiting() { on_this_thread = true; }
  ~NoWaiting() { on_this_thread = false; }
  NoWaiting(const NoWaiting&) = delete;
  NoWaiting& operator=(const NoWaiting&) = delete;

  inline static thread_local bool on_this_thread = false;
};

}  // namespace partita::shards
