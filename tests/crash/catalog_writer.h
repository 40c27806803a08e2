// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "tests/crash/ledger.h"
#include "tools/client/mongo.h"

namespace partita::crash {

/// A client that creates, indexes, fills, renames and drops collections until the server dies, and knows afterwards
/// which collections there must be: those acknowledged, with the one change under way done wholly or not at all.
/// Names are never used twice, so one that comes back is seen. One thread at a time.
class CatalogWriter {
 public:
  /// `write_concern` as JSON, sent with every change; empty: the server's default.
  CatalogWriter(const std::string& uri, const std::filesystem::path& directory, std::uint64_t seed, bool with_indexes,
                const std::string& write_concern);

  /// Works until the connection breaks, which is no problem; a refusal is.
  client::Problem work();
  /// Compares with the server, and goes on from what it found there. To be called before work().
  client::Problem verify();

  std::int64_t acknowledged() const { return acknowledged_; }

 private:
  struct Shape {
    bool indexed = false;
    std::int64_t documents = 0;
    auto operator<=>(const Shape&) const = default;
  };
  using World = std::map<std::string, Shape>;

  struct Change {
    World after;
    std::string database;
    client::Bson command;
  };

  Change choose();
  Change create();
  Change rename(const std::string& name);
  client::Problem observe(World& world);
  static std::string describe(const World& world);
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  Ledger ledger_;
  std::mt19937_64 random_;
  bool with_indexes_;
  client::Client client_;
  client::Bson write_concern_;
  World world_;                 ///< What is owed.
  std::optional<World> after_;  ///< What is owed if the change under way happened.
  std::int64_t names_ = 0;
  std::int64_t acknowledged_ = 0;
};

}  // namespace partita::crash
