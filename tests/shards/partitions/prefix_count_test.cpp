// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/prefix_count.h"

#include <gtest/gtest.h>

#include "wire/bson/buffer.h"

namespace partita::shards {
namespace {

class PrefixCountTest : public testing::Test {
 protected:
  void note(std::string_view key, std::int64_t documents, Time time) {
    count_.note({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()}, {documents, documents * 10}, time);
  }
  void expect(std::int64_t documents) const {
    EXPECT_EQ(count_.before().documents, documents);
    EXPECT_EQ(count_.before().bytes, documents * 10);
  }
  PrefixCount count_;
};

TEST_F(PrefixCountTest, IsAskedForOnlyWhileSomebodyCounts) {
  EXPECT_FALSE(count_.counts());
  count_.begin("b");
  EXPECT_TRUE(count_.counts());
  count_.end();
  EXPECT_FALSE(count_.counts());
}

TEST_F(PrefixCountTest, AddsWhatIsLaterThanWasSeen) {
  count_.begin("a");
  note("c", 1, 5);  // Seen by the walk as of 10.
  count_.begin_stretch(10);
  note("c", 1, 11);
  note("e", -1, 12);
  note("m", 1, 13);  // Behind the place.
  count_.advance("k", {100, 1000});
  expect(100);
  note("d", 2, 14);
  expect(102);
}

TEST_F(PrefixCountTest, LeavesToTheNextStretchWhatThatWillSee) {
  count_.begin("a");
  count_.begin_stretch(10);
  note("m", 1, 11);
  note("n", 1, 21);
  count_.advance("k", {5, 50});
  count_.begin_stretch(20);
  count_.advance("z", {7, 70});  // With "m", without "n".
  expect(13);
}

TEST_F(PrefixCountTest, KeepsAMarkTrueAndReturnsToIt) {
  count_.begin("a");
  count_.begin_stretch(10);
  count_.advance("f", {5, 50});
  count_.mark();
  count_.advance("p", {5, 50});
  note("b", 1, 11);
  note("g", 1, 12);
  expect(12);
  EXPECT_EQ(count_.before_mark().documents, 6);
  count_.return_to_mark();
  count_.settle();
  EXPECT_EQ(count_.place(), "f");
  expect(6);
  note("g", 1, 13);
  note("a", -1, 14);
  expect(5);
}

}  // namespace
}  // namespace partita::shards
