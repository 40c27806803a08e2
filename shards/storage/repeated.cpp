// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/repeated.h"

#include "wire/log/log.h"

namespace partita::shards {

void Repeated::note(const Status& outcome) {
  if (outcome.ok()) {
    done_.fetch_add(1, std::memory_order_relaxed);
    if (reason_.empty()) return;
    reason_.clear();
    log::info(log::Component::kStorage, log_id_, "Works again", {{"what", what_}});
    return;
  }
  failed_.fetch_add(1, std::memory_order_relaxed);
  if (outcome.message() == reason_) return;
  reason_ = outcome.message();
  log::error(log::Component::kStorage, log_id_, "Failed, and will be tried again", {{"what", what_}, {"error", reason_}});
}

}  // namespace partita::shards
