// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::shards {

/// While it lives, what this thread commits takes no turn (Engine::commit_turn): others wait at closed gates for it, and on
/// a busy machine a turn may be milliseconds away. Scopes do not nest.
class Urgency {
 public:
  Urgency() { on_this_thread = true; }
  ~Urgency() { on_this_thread = false; }
  Urgency(const Urgency&) = delete;
  Urgency& operator=(const Urgency&) = delete;

  inline static thread_local bool on_this_thread = false;
};

}  // namespace partita::shards
