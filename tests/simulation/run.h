// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/simulation/client.h"

namespace partita::simulation {

/// One run: three nodes, some clients, a network, everything that can go wrong, and the same again for the same seed.
/// Trouble lasts until the clients have had their share of it; then everything heals, and what was promised must be there.
class Run final : public Network {
 public:
  Run(std::uint64_t seed, Sabotage sabotage);
  ~Run() override;

  /// What does not fit together; empty when everything does.
  std::string run();
  const Tally& tally() { return around_.judge.tally(); }

 private:
  static constexpr std::size_t kNodes = 3;
  struct Node {
    const char* name = "";
    std::int64_t skew_ms = 0;
    std::uint64_t runs = 0;
    Checkpoint disk;
    std::shared_ptr<Process> process;  ///< Null while it is down.
  };

  std::size_t nodes() const override { return kNodes; }
  void send(std::size_t node, Statement statement, Answer answer) override;
  void send(std::size_t node, CatalogChange change, Answer answer) override;
  void deliver(std::size_t node, Answer answer, std::function<void(Process&, Reply)> execute);

  void draw_faults();
  void boot(Node& node);
  void crash(Node& node);
  void save(Node& node);
  void turn(Node& node);
  void trouble();
  void truncate();
  void heal();
  bool clients_done() const;
  bool caught_up();
  bool run_until(const std::function<bool()>& reached, std::int64_t limit_us);
  void check_end();
  void check_documents(Process& process);
  void check_newcomer();

  Surroundings around_;
  bool healed_ = false;
  bool truncates_ = false;
  double lose_message_ = 0;
  double repeat_message_ = 0;
  std::array<Node, kNodes> nodes_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::unique_ptr<Administrator> administrator_;
};

}  // namespace partita::simulation
