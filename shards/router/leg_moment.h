// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/router/leg_scan.h"
#include "shards/snapshot/past_pin.h"

namespace partita::shards {

/// The map and the moment by which all legs of a query read, also those that begin late. From one batch of a cursor to the
/// next both stay while the moment is kept (PastPins::kLongest) and the rows are in the same tables; then they are taken
/// anew. One thread at a time.
class LegMoment {
 public:
  LegMoment(Store& store, std::shared_ptr<const Collection> collection) : store_(store), collection_(std::move(collection)) {}

  /// Tells the legs. QueryPlanKilled when the collection is gone.
  Status wake(LegControl& control);
  void rest() {
    if (pin_) pin_->rest();
  }
  /// Nothing is read any more.
  void end() { pin_.reset(); }

 private:
  Status take();

  Store& store_;
  std::shared_ptr<const Collection> collection_;
  std::optional<PastPin> pin_;
};

}  // namespace partita::shards
