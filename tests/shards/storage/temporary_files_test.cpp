// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/temporary_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

class TemporaryFilesTest : public testing::Test {
 protected:
  TemporaryFilesTest() { fs::create_directories(root_); }
  ~TemporaryFilesTest() override { fs::remove_all(root_); }
  const fs::path root_ = fs::temp_directory_path() / ("partita-temporary-" + std::to_string(::getpid()));
};

TEST_F(TemporaryFilesTest, GiveBackWhatTheyGot) {
  TemporaryFiles files(root_);
  const auto file = std::move(files.open()).value();
  const auto other = std::move(files.open()).value();
  const std::array<std::uint8_t, 5> bytes{1, 2, 3, 4, 5};
  ASSERT_TRUE(file->append(bytes).ok());
  ASSERT_TRUE(other->append(std::span(bytes).first(1)).ok());
  ASSERT_TRUE(file->append(bytes).ok());
  std::array<std::uint8_t, 4> read{};
  ASSERT_TRUE(file->read(3, read).ok());
  EXPECT_EQ(read, (std::array<std::uint8_t, 4>{4, 5, 1, 2}));
  EXPECT_FALSE(file->read(8, read).ok());
}

TEST_F(TemporaryFilesTest, LeaveNoName) {
  TemporaryFiles files(root_);
  const auto file = std::move(files.open()).value();
  EXPECT_TRUE(fs::is_empty(root_ / "_tmp"));
}

TEST_F(TemporaryFilesTest, SayWhereTheyCannotBe) {
  std::ofstream(root_ / "_tmp") << "in the way";
  TemporaryFiles files(root_);
  EXPECT_NE(files.open().status().message().find("_tmp"), std::string::npos);
}

}  // namespace
}  // namespace partita::shards
