// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/bulk_load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "shards/storage/bytes.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

class BulkLoadTest : public testing::Test {
 protected:
  BulkLoadTest() {
    fs::create_directories(root_ / "journal");
    EngineOptions options;
    options.path = root_;
    engine_ = std::move(Engine::open(std::move(options))).value();
    table_ = engine_->create_table("rows", TableKind::kIndex).value();
  }
  ~BulkLoadTest() override {
    engine_.reset();
    fs::remove_all(root_);
  }

  static std::string key(int i) { return detail::join("key", 100'000 + i); }
  Status load(int rows, bool alone) {
    TRY(const SessionLease session, SessionLease::take(*engine_));
    TRY(BulkLoad load, BulkLoad::begin(*session, table_));
    EXPECT_EQ(load.alone(), alone);
    for (int i = 0; i < rows; ++i) CHECK_OK(load.append(bytes_of(key(i)), bytes_of(std::to_string(i))));
    return load.finish();
  }
  void expect_rows(int rows) {
    const SessionLease session = std::move(SessionLease::take(*engine_)).value();
    Cursor cursor = std::move(session->cursor(table_)).value();
    for (int i = 0; i < rows; ++i) {
      ASSERT_TRUE(cursor.next().value());
      EXPECT_EQ(std::string(cursor.key().begin(), cursor.key().end()), key(i));
      EXPECT_EQ(std::string(cursor.value().begin(), cursor.value().end()), std::to_string(i));
    }
    EXPECT_FALSE(cursor.next().value());
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-bulk-" + std::to_string(::getpid()));
  std::unique_ptr<Engine> engine_;
  TableId table_ = kNoTable;
};

TEST_F(BulkLoadTest, FillsATable) {
  ASSERT_TRUE(load(20'000, true).ok());
  expect_rows(20'000);
}

TEST_F(BulkLoadTest, FillsATableThatSomebodyLooksAt) {
  const SessionLease reader = std::move(SessionLease::take(*engine_)).value();
  {
    Cursor cursor = std::move(reader->cursor(table_)).value();
    EXPECT_FALSE(cursor.next().value());
  }  // It stays in the session's cache, open.
  ASSERT_TRUE(load(2'000, false).ok());
  expect_rows(2'000);
}

TEST_F(BulkLoadTest, IsKeptByTheNextCheckpoint) {
  ASSERT_TRUE(load(1'000, true).ok());
  ASSERT_TRUE(engine_->checkpoint().ok());
  const fs::path copy = root_.string() + "-copy";  // What a kill would leave.
  fs::copy(root_, copy, fs::copy_options::recursive);
  engine_.reset();
  EngineOptions options;
  options.path = copy;
  engine_ = std::move(Engine::open(std::move(options))).value();
  table_ = engine_->table("rows");
  expect_rows(1'000);
  engine_.reset();
  fs::remove_all(copy);
}

}  // namespace
}  // namespace partita::shards
