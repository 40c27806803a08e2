// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writers whose collection comes and goes: each write finds one to write to, or makes it.
#include <atomic>
#include <thread>

#include "tests/shards/store_fixture.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;

class CatalogRaceTest : public StoreTest {
 protected:
  /// Inserts in two threads while `change` runs again and again.
  void insert_while(const std::function<Status()>& change) {
    open("a");
    std::atomic<bool> stop{false};
    std::atomic<int> next{0};
    std::vector<std::jthread> writers;
    for (int w = 0; w < 2; ++w) {
      writers.emplace_back([&] {
        while (!stop) {
          const Status status = insert("{_id: " + std::to_string(next++) + "}");
          EXPECT_TRUE(status.ok()) << status.message();
        }
      });
    }
    const auto end = std::chrono::steady_clock::now() + 500ms;
    while (std::chrono::steady_clock::now() < end) {
      const Status status = change();
      EXPECT_TRUE(status.ok() || status.code() == Code::NamespaceNotFound) << status.message();
    }
    stop = true;
    writers.clear();
    EXPECT_GT(next, 10);
  }
};

TEST_F(CatalogRaceTest, InsertsSurviveDrops) {
  insert_while([&] { return store_->catalog().drop(kNs).status(); });
}

TEST_F(CatalogRaceTest, InsertsSurviveDropsOfTheDatabase) {
  insert_while([&] { return store_->catalog().drop_database(kNs.db()); });
}

TEST_F(CatalogRaceTest, InsertsSurviveRenames) {
  insert_while([&] { return store_->catalog().rename(kNs, {"test", "other"}, true); });
}

}  // namespace
}  // namespace partita::shards
