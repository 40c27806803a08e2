// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/mover.h"

#include "shards/balance/balancer.h"
#include "shards/store.h"
#include "wire/log/log.h"
#include "wire/net/timer.h"

namespace partita::shards {
namespace {

constexpr std::chrono::seconds kLook(1);

}  // namespace

Mover::Mover(Store& store, std::shared_ptr<const MoveOptions> options)
    : store_(store),
      options_(options != nullptr ? std::move(options) : std::make_shared<const MoveOptions>()),
      written_(store.log(kDataLog).appended_bytes()),
      looked_(std::chrono::steady_clock::now()),
      looking_(std::make_unique<wire::Periodic>("mover", kLook, [this] {
        if (is_quiet()) turn();
      })) {}

Mover::~Mover() { stopping_ = true; }

bool Mover::is_quiet() {
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t written = store_.log(kDataLog).appended_bytes();
  const double seconds = std::chrono::duration<double>(now - std::exchange(looked_, now)).count();
  const double rate = static_cast<double>(written - std::exchange(written_, written)) / std::max(seconds, 0.001);
  quiet_looks_ = rate > static_cast<double>(options_->quiet_bytes_per_second) ? 0 : quiet_looks_ + 1;
  return quiet_looks_ >= options_->quiet_looks;
}

bool Mover::turn() {
  if (!options_->enabled || !store_.balancer().active()) return false;
  const Candidate candidate = find();
  if (candidate.collection == nullptr) return false;
  const Status moved = move_out(candidate);
  if (moved.ok()) return true;
  // It was dropped, another change came first, the server stops: nothing is lost, the next look finds what there is.
  log::info(log::Component::kStorage, 22443, "Partitions have not moved out",
            {{"collection", candidate.collection->ns.full()}, {"reason", moved.message()}});
  return false;
}

/// The segment that most is in of those that several partitions share.
Mover::Candidate Mover::find() const {
  Candidate most;
  for (const auto& collection : store_.catalog().share()->all()) {
    for (const Collection::Run& run : collection->runs()) {
      if (run.end - run.first < 2) continue;
      std::int64_t bytes = 0;
      for (std::size_t i = run.first; i < run.end; ++i) bytes += collection->partitions[i].partition->counters().total().bytes;
      if (bytes >= options_->least_bytes && (most.collection == nullptr || bytes > most.bytes)) most = {collection, run, bytes};
    }
  }
  return most;
}

Status Mover::move_out(const Candidate& candidate) {
  std::vector<Collection::Run> each;
  for (std::size_t i = candidate.run.first; i < candidate.run.end; ++i) each.push_back({i, i + 1});
  const auto go_on = [this]() -> Status {
    if (stopping_) return error(Code::InterruptedAtShutdown, "the server stops");
    const bool wanted = options_->enabled && store_.balancer().active();
    return wanted ? Status() : error(Code::Interrupted, "moving out has been switched off");
  };
  return store_.catalog().copy_partitions(*candidate.collection, each, Catalog::CopyManner::kGivesWay, go_on).status();
}

}  // namespace partita::shards
