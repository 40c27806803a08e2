// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/external_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/memory_run_files.h"
#include "tests/support/random.h"

namespace partita::test {
namespace {

using query::ExternalSort;
using query::KeyedBytes;
using Rows = std::vector<std::pair<std::string, std::string>>;  // Key and bytes.

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

std::string random_text(Random& random, std::size_t most) {
  std::string text(random.below(most + 1), '\0');
  for (char& byte : text) byte = static_cast<char>(random.below(4) * 85);
  return text;
}

Rows read(ExternalSort& sort) {
  EXPECT_TRUE(sort.finish().ok());
  Rows rows;
  while (true) {
    KeyedBytes row;
    const Result<bool> more = sort.next(row);
    EXPECT_TRUE(more.ok());
    if (!more.ok() || !*more) return rows;
    rows.emplace_back(text_of(row.key), text_of(row.bytes));
  }
}

class RandomExternalSort : public testing::TestWithParam<std::uint64_t> {};

/// Whatever the memory, and however large single rows are beside it.
TEST_P(RandomExternalSort, GivesAllRowsInOrder) {
  Random random(GetParam());
  Rows rows;
  for (int i = 0; i < 3000; ++i) {
    std::string key = random_text(random, 12) + std::to_string(i);  // Each once, so that the order is total.
    rows.emplace_back(std::move(key), random_text(random, random.one_in(500) ? 100'000 : 60));
  }
  for (const std::size_t memory : {std::size_t{0}, std::size_t{2'000}, std::size_t{50'000}, std::size_t{1} << 30}) {
    MemoryRunFiles files;
    {
      ExternalSort sort({.memory_limit = memory, .files = &files});
      for (const auto& [key, bytes] : rows) ASSERT_TRUE(sort.add({bytes_of(bytes), bytes_of(key)}).ok());
      EXPECT_EQ(sort.size(), rows.size());
      EXPECT_EQ(sort.spilled(), memory < std::size_t{1} << 30);
      Rows expected = rows;
      std::ranges::sort(expected);
      EXPECT_TRUE(read(sort) == expected) << "memory " << memory;
      EXPECT_EQ(files.opened, sort.spilled() ? 1u : 0u);
    }
    EXPECT_EQ(files.open_now, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExternalSort, testing::Range<std::uint64_t>(1, 5));

TEST(ExternalSort, OfNothingIsNothing) {
  MemoryRunFiles files;
  ExternalSort sort({.memory_limit = 10, .files = &files});
  EXPECT_TRUE(read(sort).empty());
  EXPECT_EQ(files.opened, 0u);
}

TEST(ExternalSort, HoldsLittleMoreThanItMay) {
  constexpr std::size_t kMemory = 1 << 20;
  MemoryRunFiles files;
  ExternalSort sort({.memory_limit = kMemory, .files = &files});
  const std::string bytes(1000, 'x');
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(sort.add({bytes_of(bytes), bytes_of(std::to_string(i))}).ok());
    most = std::max(most, sort.memory());
  }
  EXPECT_GT(files.written, 15u << 20);
  EXPECT_TRUE(sort.finish().ok());
  KeyedBytes row;
  while (sort.next(row).value()) most = std::max(most, sort.memory());
  EXPECT_LT(most, 4 * kMemory);
}

TEST(ExternalSort, FailsWhereThereAreNoFiles) {
  ExternalSort sort({.memory_limit = 1000});
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = sort.add({bytes_of(std::string(50, 'x')), bytes_of("key")});
  EXPECT_EQ(status.code(), Code::QueryExceededMemoryLimitNoDiskUseAllowed);
}

TEST(ExternalSort, FailsWithTheDisk) {
  MemoryRunFiles files;
  files.room = 3000;
  ExternalSort sort({.memory_limit = 1000, .files = &files});
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = sort.add({bytes_of(std::string(50, 'x')), bytes_of("key")});
  EXPECT_EQ(status.code(), Code::OutOfDiskSpace);
}

}  // namespace
}  // namespace partita::test
