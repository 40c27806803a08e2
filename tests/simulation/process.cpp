// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/simulation/process.h"

namespace partita::simulation {

using namespace shards;

Process::Process(Surroundings& around, const char* node, std::uint64_t run, std::int64_t skew_ms, const Checkpoint& from)
    : around_(around),
      name_(detail::join(node, "#", run)),
      wall_(around.time, skew_ms),
      clock_(wall_),
      random_(around.time.random()),
      logs_{std::make_unique<MemoryLog>(around.topics[0], kCatalogLog, around.time, clock_, around.faults),
            std::make_unique<MemoryLog>(around.topics[1], kDataLog, around.time, clock_, around.faults)},
      replica_(node, around.judge, around.sabotage, {logs_[0].get(), logs_[1].get()}, from) {
  // The logs may begin behind what is on the disk.
  for (const Standing& standing : from.logs) clock_.observe(standing.closed);
}

void Process::turn() {
  const bool deposed = !logs_[0]->contends() || !logs_[1]->contends();
  if (role_ == Role::kPrimary && deposed) role_ = Role::kFollower;
  // What is still in flight in a log that has not been lost may yet have to be committed.
  if (role_ != Role::kFollower || !writes_.empty()) return;
  Status status;
  if (!tailing_) status = replica_.open_tails();
  tailing_ = true;
  if (status.ok()) status = replica_.follow();
  if (!status.ok()) around_.judge.fail(detail::join(name_, " cannot follow: ", status.message()));
}

// First the data log, then the catalog's, then a word in the data log again: whoever has come so far has held the data log
// while taking the other, so that of two primaries one is the later in both logs. Otherwise each could end up with one log
// of its own: one would change the catalog, and the other would write data without knowing.
void Process::take_over() {
  if (role_ != Role::kFollower || !writes_.empty() || !tailing_) return;
  role_ = Role::kTakingOver;
  acquire(kDataLog);
}

void Process::acquire(LogId log) {
  Takeover& takeover = takeovers_[static_cast<std::size_t>(log)];
  takeover = {};
  takeover.node = name_;
  takeover.context = this;
  takeover.done = [](Takeover& done) { static_cast<Process*>(done.context)->taken(done); };
  logs_[static_cast<std::size_t>(log)]->acquire(takeover);
}

void Process::taken(const Takeover& takeover) {
  if (!takeover.status.ok()) {
    role_ = Role::kFollower;
  } else if (&takeover == &takeovers_[static_cast<std::size_t>(kDataLog)]) {
    acquire(kCatalogLog);
  } else if (around_.sabotage == Sabotage::kConfirm) {
    become_primary();
  } else {
    submit(begin(RecordKind::kTick, kDataLog, [this](const Status& status) {
      role_ = Role::kFollower;
      if (status.ok()) become_primary();
    }));
  }
}

/// Not before the last word: up to then somebody else may still write what lies between the two epochs.
void Process::become_primary() {
  role_ = Role::kFollower;
  const Result<bool> caught_up = replica_.follow_up_to({logs_[0]->epoch(), logs_[1]->epoch()});
  if (!caught_up.ok()) return around_.judge.fail(detail::join(name_, " cannot catch up: ", caught_up.status().message()));
  if (!*caught_up) return;
  role_ = Role::kPrimary;
  tailing_ = false;
}

Process::Write& Process::begin(RecordKind kind, LogId log, Reply reply) {
  Write& write = *writes_.emplace_back(std::make_unique<Write>(*this, std::move(reply)));
  write.draft.begin(kind, log, replica_.applier_tables());
  return write;
}

void Process::submit(Write& write) {
  MemoryLog& log = *logs_[static_cast<std::size_t>(write.draft.record().log())];
  write.append.epoch = log.epoch();
  write.append.record = &write.draft.record();
  write.append.context = &write;
  write.append.acknowledged = [](Append& done) {
    Write& write = *static_cast<Write*>(done.context);
    write.process.finish(write);
  };
  log.append(write.append);
}

void Process::finish(Write& write) {
  Status answer = write.append.status;
  if (answer.ok()) {
    around_.judge.acknowledged(write.append.position);
    answer = commit(write);
    if (!answer.ok()) around_.judge.fail(detail::join(name_, " cannot commit: ", answer.message()));
    answer = write.answer;
  } else {
    ++around_.judge.tally().lost;
    if (around_.sabotage == Sabotage::kLost) answer = {};
  }
  if (write.draft.record().kind() == RecordKind::kCatalog) changing_catalog_ = false;
  const Reply reply = std::move(write.reply);
  forget(write);
  if (reply) reply(answer);
}

void Process::forget(const Write& write) {
  std::erase_if(writes_, [&](const auto& one) { return one.get() == &write; });
  if (writes_.empty() && waiting_change_) start_catalog_change();
}

Status Process::commit(Write& write) {
  write.session.commit();
  write.draft.effects().count(write.append.position.commit_time, 0);
  const RecordKind kind = write.draft.record().kind();
  if (kind == RecordKind::kCatalog) CHECK_OK(show_catalog_rows(write));
  // The word that ends a takeover comes before everything else has been applied: the replica will read it.
  if (role_ != Role::kTakingOver) replica_.committed(write.append.position, kind);
  return {};
}

void Process::confirm(Write& write, Status answer) {
  write.session.roll_back();
  write.draft.begin(RecordKind::kTick, kDataLog, replica_.applier_tables());
  write.answer = std::move(answer);
  submit(write);
}

void Process::tick() {
  if (role_ != Role::kPrimary || changing_catalog_ || waiting_change_) return;
  for (const LogId log : {kCatalogLog, kDataLog}) submit(begin(RecordKind::kTick, log, nullptr));
}

}  // namespace partita::simulation
