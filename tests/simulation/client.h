// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "tests/simulation/process.h"

namespace partita::simulation {

/// Where clients send to: the nodes of the run, behind a network.
class Network {
 public:
  using Answer = std::function<void(const Status&)>;
  virtual ~Network() = default;
  virtual std::size_t nodes() const = 0;
  /// Calls `answer` once, never, or twice; the statement arrives late, or twice, or never.
  virtual void send(std::size_t node, Statement statement, Answer answer) = 0;
  virtual void send(std::size_t node, CatalogChange change, Answer answer) = 0;
};

/// One logical writer. Sends a statement until somebody says that it is done, then the next one; owns its documents and
/// remembers what it is owed.
class Client {
 public:
  Client(Surroundings& around, Network& network, int number, int statements);

  void start();
  bool done() const { return left_ == 0; }
  /// n of every document of its own.
  const std::map<std::int64_t, std::int64_t>& owed() const { return owed_; }
  /// How often it has counted each shared document up.
  const std::map<std::int64_t, std::int64_t>& counted() const { return counted_; }

  static constexpr std::int64_t kShared = 3;     ///< Documents 0 .. kShared - 1 are everybody's.
  static constexpr std::int64_t kOwnKeys = 100'000;
  static constexpr std::int64_t kClaims = 50'000;  ///< From here on within a client's range: documents that it may not get.

 private:
  void next();
  Statement choose();
  std::int64_t own_key();
  void send();
  void answered(std::int64_t transaction, const Status& status);
  void settle();

  Surroundings& around_;
  Network& network_;
  const std::int64_t first_key_;
  std::int64_t next_key_;
  int left_;
  Statement statement_;
  std::size_t node_ = 0;
  std::uint64_t sent_ = 0;
  std::map<std::int64_t, std::int64_t> owed_;
  std::map<std::int64_t, std::int64_t> counted_;
};

/// Changes the catalog under everybody's feet.
class Administrator {
 public:
  Administrator(Surroundings& around, Network& network, int changes)
      : around_(around), network_(network), left_(changes) {}

  void start();
  bool done() const { return left_ == 0; }

 private:
  CatalogChange choose();
  void send();
  void answered(int change, const Status& status);

  Surroundings& around_;
  Network& network_;
  int left_;
  CatalogChange change_;
};

}  // namespace partita::simulation
