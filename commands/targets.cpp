// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/targets.h"

#include <algorithm>

#include "commands/plan_summary.h"
#include "commands/server.h"
#include "shards/router/record_keys.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// Rows between two looks at the clock and the client.
constexpr int kInterruptInterval = 512;

}  // namespace

void Remainder::leave_behind(std::shared_ptr<const shards::Collection> order, std::string key) {
  parts_.push_back({std::move(order), std::move(key), {}});
}

void Remainder::leave_only(std::shared_ptr<const shards::Collection> order, std::vector<std::string> keys) {
  std::ranges::sort(keys);
  parts_.push_back({std::move(order), {}, std::move(keys)});
}

Result<bool> Remainder::holds(bson::View document) const {
  for (const Part& part : parts_) {
    key_.clear();
    // Its writer did not know the order of before: a value that has no place there may be new or old.
    if (!shards::append_record_key(*part.order, document, key_).ok()) return shards::order_changed(part.order->ns);
    const std::string_view key = key_.text();
    if (part.keys.empty() ? key <= part.behind : !std::ranges::binary_search(part.keys, key)) return false;
  }
  return true;
}

Targets::Targets(Operation& operation, std::shared_ptr<const shards::Collection> collection,
                 const query::Matcher& matcher, shards::ScanOrder order, const Remainder* remainder)
    : operation_(operation),
      matcher_(matcher),
      remainder_(remainder),
      scan_(operation.server().store, std::move(collection), std::move(order)) {
  scan_.interrupt_by([this]() -> Status {
    CHECK_OK(report());
    return operation_.check_interrupt();
  });
}

Targets::~Targets() { note_walk(operation_, scan_); }

Result<bool> Targets::next_match(bson::View& document) {
  while (true) {
    TRY(const bool more, scan_.next());
    if (!more) return false;
    if (++rows_ % shards::kWalkReportInterval == 0) CHECK_OK(report());
    if (rows_ % kInterruptInterval == 0) CHECK_OK(operation_.check_interrupt());
    TRY(document, scan_.document());
    const bool matches = matcher_.matches(document, state_);
    if (!state_.failure.ok()) return std::move(state_.failure);
    if (!matches) continue;
    ++matched_;
    if (remainder_ == nullptr) return true;
    TRY(const bool left, remainder_->holds(document));
    if (left) return true;
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
