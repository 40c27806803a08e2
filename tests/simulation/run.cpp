// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/simulation/run.h"

#include <algorithm>

namespace partita::simulation {
namespace {

constexpr std::array<const char*, 3> kNames{"ada", "bob", "cyd"};
constexpr int kClients = 4;
constexpr int kStatements = 20;
constexpr int kChanges = 8;
constexpr std::int64_t kTrouble_us = 600'000;
constexpr std::int64_t kHealing_us = 30'000'000;

}  // namespace

Run::Run(std::uint64_t seed, Sabotage sabotage) : around_(seed) {
  around_.sabotage = sabotage;
  draw_faults();
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes_[i].name = kNames[i];
    nodes_[i].skew_ms = around_.time.between(-3000, 3000);
    boot(nodes_[i]);
    turn(nodes_[i]);
  }
  for (int i = 0; i < kClients; ++i) clients_.push_back(std::make_unique<Client>(around_, *this, i, kStatements));
  administrator_ = std::make_unique<Administrator>(around_, *this, kChanges);
}

Run::~Run() = default;

/// Every run has troubles of its own: some many, some none of one kind.
void Run::draw_faults() {
  const auto sometimes = [&](double most) {
    return around_.time.chance(0.5) ? most * static_cast<double>(around_.time.between(1, 100)) / 100 : 0.0;
  };
  around_.faults.lose_append = sometimes(0.05);
  around_.faults.lose_acknowledgement = sometimes(0.1);
  around_.faults.delay_acknowledgement = sometimes(0.2);
  around_.faults.duplicate_append = sometimes(0.1);
  around_.faults.latency_us = around_.time.between(50, 3'000);
  lose_message_ = sometimes(0.1);
  repeat_message_ = sometimes(0.2);
  truncates_ = around_.time.chance(0.5);
}

void Run::boot(Node& node) {
  node.process = std::make_shared<Process>(around_, node.name, ++node.runs, node.skew_ms, node.disk);
}

void Run::crash(Node& node) {
  if (node.process == nullptr) return;
  ++around_.judge.tally().crashes;
  around_.judge.tally().barriers += node.process->barriers();
  node.process.reset();
  around_.time.after(around_.time.between(1'000, 60'000), [this, &node] {
    if (node.process == nullptr) boot(node);
  });
}

void Run::save(Node& node) {
  if (node.process != nullptr) node.disk = node.process->replica().checkpoint();
}

void Run::turn(Node& node) {
  if (node.process != nullptr) {
    node.process->turn();
    if (around_.time.chance(0.3)) node.process->tick();
  }
  around_.time.after(around_.time.between(500, 4'000), [this, &node] { turn(node); });
}

void Run::trouble() {
  if (healed_) return;
  Node& node = nodes_[static_cast<std::size_t>(around_.time.between(0, kNodes - 1))];
  const std::int64_t what = around_.time.between(0, 9);
  if (what <= 1) crash(node);
  if (what >= 2 && what <= 4 && node.process != nullptr) node.process->take_over();
  if (what >= 5 && what <= 7) save(node);
  if (what == 8 && truncates_) truncate();
  around_.time.after(around_.time.between(500, 20'000), [this] { trouble(); });
}

/// Forgets what every node has on its disk.
void Run::truncate() {
  for (std::size_t log = 0; log < 2; ++log) {
    shards::Sequence oldest = nodes_[0].disk.logs[log].fence.last();
    for (const Node& node : nodes_) oldest = std::min(oldest, node.disk.logs[log].fence.last());
    for (const Node& node : nodes_) {
      // A follower that reads behind its disk does not mind; the log is any node's to cut.
      if (node.process == nullptr) continue;
      const Status status = node.process->truncate(log, oldest + 1);
      if (!status.ok()) around_.judge.fail(detail::join("truncate: ", status.message()));
      break;
    }
  }
}

void Run::deliver(std::size_t node, Answer answer, std::function<void(Process&, Reply)> execute) {
  const int times = around_.time.chance(lose_message_) ? 0 : around_.time.chance(repeat_message_) ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    // A repeated message may come when its sender has long gone on.
    const std::int64_t delay = i == 0 ? around_.time.between(1, 1'000) : around_.time.between(1, 100'000);
    around_.time.after(delay, [this, node, answer, execute] {
      if (nodes_[node].process == nullptr) return;
      const auto reply = [this, answer](const Status& status) {
        if (around_.time.chance(lose_message_)) return;
        around_.time.after(around_.time.between(1, 1'000), [answer, status] { answer(status); });
      };
      execute(*nodes_[node].process, reply);
    });
  }
}

void Run::send(std::size_t node, Statement statement, Answer answer) {
  deliver(node, std::move(answer), [statement = std::move(statement)](Process& process, Reply reply) {
    process.execute(statement, std::move(reply));
  });
}

void Run::send(std::size_t node, CatalogChange change, Answer answer) {
  deliver(node, std::move(answer), [change = std::move(change)](Process& process, Reply reply) {
    process.change_catalog(change, std::move(reply));
  });
}

bool Run::clients_done() const {
  return administrator_->done() && std::ranges::all_of(clients_, [](const auto& client) { return client->done(); });
}

bool Run::run_until(const std::function<bool()>& reached, std::int64_t limit_us) {
  const std::int64_t limit = around_.time.now_us() + limit_us;
  while (!reached() && !around_.judge.failed() && around_.time.now_us() < limit) around_.time.step();
  return !around_.judge.failed() && reached();
}

std::string Run::run() {
  nodes_[0].process->take_over();
  trouble();
  administrator_->start();
  for (const auto& client : clients_) client->start();
  run_until([] { return false; }, kTrouble_us);
  heal();
  if (!around_.judge.failed()) check_end();
  return around_.judge.failure();
}

/// From now on nothing is lost, and there is one node that wants to lead.
void Run::heal() {
  healed_ = true;
  around_.faults = {};
  lose_message_ = repeat_message_ = 0;
  const auto wants_to_lead = [this] {
    Process* process = nodes_[0].process.get();
    if (process != nullptr && !process->is_primary()) process->take_over();
    return process != nullptr && process->is_primary() && clients_done() && caught_up();
  };
  if (!run_until(wants_to_lead, kHealing_us) && !around_.judge.failed()) {
    around_.judge.fail("nothing goes wrong any more, and still not everybody is served");
  }
}

/// Up to ticks, which keep coming: everybody holds what the primary holds.
bool Run::caught_up() {
  return std::ranges::all_of(nodes_, [this](const Node& node) {
    return node.process != nullptr && node.process->replica().tables().hash() == nodes_[0].process->replica().tables().hash();
  });
}

void Run::check_end() {
  for (Node& node : nodes_) {
    around_.judge.tally().barriers += node.process->barriers();
    const Status status = node.process->replica().check();
    if (!status.ok()) around_.judge.fail(detail::join(node.name, ": ", status.message()));
    check_documents(*node.process);
  }
  check_newcomer();
  around_.judge.judge(around_.topics);
}

void Run::check_documents(Process& process) {
  std::map<std::int64_t, std::int64_t> owed;
  for (const auto& client : clients_) {
    owed.insert(client->owed().begin(), client->owed().end());
    for (const auto& [key, times] : client->counted()) owed[key] += times;
  }
  const shards::Collection& collection = *process.replica().find(kMain);
  for (const shards::Collection::Run& run : collection.runs()) {
    const shards::PartitionSlot& slot = collection.partitions[run.first];
    for (const auto& [record_key, row] : process.replica().tables().rows(slot.partition->records())) {
      const bson::View document = bson::View::trusted(reinterpret_cast<const std::uint8_t*>(row.data()));
      if (!document["u"].missing()) continue;  // A claim: its owner does not know whether it got through the first time.
      const std::int64_t key = document["_id"].as_int64();
      const auto found = owed.find(key);
      if (found == owed.end()) return around_.judge.fail(detail::join("document ", key, " is there and must not be"));
      if (found->second != document["n"].as_int64()) {
        return around_.judge.fail(detail::join("document ", key, " has n = ", document["n"].as_int64(), ", owed: ", found->second));
      }
      owed.erase(found);
    }
  }
  if (!owed.empty()) around_.judge.fail(detail::join("document ", owed.begin()->first, " has been acknowledged and is lost"));
}

/// Somebody who comes last and reads everything ends with the same state.
void Run::check_newcomer() {
  const bool whole = around_.topics[0].begin() == 0 && around_.topics[1].begin() == 0;
  const Checkpoint nothing;
  Process newcomer(around_, "newcomer", 1, 0, whole ? nothing : nodes_[1].disk);
  const auto same = [&] {
    newcomer.turn();
    return newcomer.replica().tables().hash() == nodes_[0].process->replica().tables().hash();
  };
  if (!run_until(same, kHealing_us)) around_.judge.fail("a newcomer does not come to the same state");
}

}  // namespace partita::simulation
