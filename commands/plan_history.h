// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::shards {
class Store;
}

namespace partita::commands {

/// What a statement has seen of its plans.
struct PlanHistory {
  bool given_up = false;  ///< The last one was: the next is found by a trial, whatever has led other queries.
  bool tried = false;     ///< With its own values. So nothing better is known, and whatever leads it now is not given up again.
};

/// Who asks for a plan.
struct PlanAsker {
  shards::Store& store;
  bool on_worker;
  PlanHistory& history;
};

}  // namespace partita::commands
