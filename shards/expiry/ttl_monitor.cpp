// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/expiry/ttl_monitor.h"

#include "shards/expiry/expiry.h"
#include "shards/store.h"
#include "wire/log/log.h"
#include "wire/net/timer.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;

/// How soon another ttlMonitorSleepSecs is noticed.
constexpr auto kLook = 200ms;

/// What ends work on a collection and is no failure: it has been dropped, or divided by another key.
bool is_overtaken(const Status& status) {
  return status.code() == Code::QueryPlanKilled || status.code() == Code::NamespaceNotFound ||
         status.code() == Code::InterruptedAtShutdown;
}

/// Those of the collection, and one of its _ids, where the user of a clustered index wants these to expire.
std::vector<std::shared_ptr<const IndexSpec>> expiring_indexes(const Collection& collection) {
  std::vector<std::shared_ptr<const IndexSpec>> expiring;
  for (const auto& spec : collection.indexes) {
    // The hash of a date is no date.
    if (spec->expire_after && spec->parts[0].form == query::KeyForm::kValue) expiring.push_back(spec);
  }
  const auto seconds = collection.options["expireAfterSeconds"].exact_int64();
  if (!seconds || collection.clustered_index().empty()) return expiring;
  auto parsed = IndexSpec::parse(bson::Document::build([](bson::Writer& definition) {
    definition.document("key").add("_id", 1);
    definition.add("name", "_id_");
  }));
  if (!parsed.ok()) return expiring;  // Which it is not, for the words are ours.
  parsed->expire_after = static_cast<std::int32_t>(*seconds);
  expiring.push_back(std::make_shared<const IndexSpec>(std::move(*parsed)));
  return expiring;
}

}  // namespace

TtlMonitor::TtlMonitor(Store& store, std::shared_ptr<const TtlOptions> options)
    : store_(store),
      options_(options != nullptr ? std::move(options) : std::make_shared<TtlOptions>()),
      last_(std::chrono::steady_clock::now()),
      looking_(std::make_unique<wire::Periodic>("ttl-monitor", kLook, [this] { turn(); })) {}

TtlMonitor::~TtlMonitor() {
  stopping_ = true;
  looking_.reset();
}

void TtlMonitor::turn() {
  const std::chrono::seconds sleep(options_->sleep_seconds.load(std::memory_order_relaxed));
  if (std::chrono::steady_clock::now() - last_ < sleep) return;
  if (options_->enabled.load(std::memory_order_relaxed)) pass();
  last_ = std::chrono::steady_clock::now();
}

void TtlMonitor::pass() {
  const auto go_on = [this]() -> Status {
    return stopping_ ? error(Code::InterruptedAtShutdown, "the server stops") : Status();
  };
  for (const auto& collection : store_.catalog().share()->all()) {
    for (const auto& spec : expiring_indexes(*collection)) {
      if (stopping_) break;
      const Status status = delete_expired(store_, collection, spec, go_on, deleted_);
      if (status.ok() || is_overtaken(status)) continue;
      log::warning(log::Component::kStorage, 5400703, "Expired documents could not be deleted",
                   {{"ns", collection->ns.full()}, {"index", spec->name}, {"error", status.message()}});
    }
  }
  passes_.fetch_add(1, std::memory_order_relaxed);
}

TtlMonitor::Figures TtlMonitor::figures() const {
  return {passes_.load(std::memory_order_relaxed), deleted_.load(std::memory_order_relaxed)};
}

}  // namespace partita::shards
