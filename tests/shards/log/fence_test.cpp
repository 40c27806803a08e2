// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/fence.h"

#include <gtest/gtest.h>

namespace partita::shards {
namespace {

RecordHeader header(RecordKind kind, Epoch epoch, Sequence sequence) {
  RecordHeader header;
  header.kind = kind;
  header.epoch = epoch;
  header.sequence = sequence;
  return header;
}

TEST(Fence, AdmitsOneSequencerAtATime) {
  Fence fence;
  EXPECT_FALSE(fence.admit(header(RecordKind::kOperations, 0, 2)));  // A gap.
  EXPECT_TRUE(fence.admit(header(RecordKind::kEpoch, 1, 1)));
  EXPECT_TRUE(fence.admit(header(RecordKind::kOperations, 1, 2)));
  EXPECT_TRUE(fence.admit(header(RecordKind::kEpoch, 2, 3)));
  EXPECT_FALSE(fence.admit(header(RecordKind::kOperations, 1, 4)));  // The deposed one goes on writing.
  EXPECT_TRUE(fence.admit(header(RecordKind::kOperations, 2, 4)));
  EXPECT_FALSE(fence.admit(header(RecordKind::kOperations, 2, 4)));  // The same place twice.
  EXPECT_FALSE(fence.admit(header(RecordKind::kEpoch, 2, 5)));       // Takes over what it has.
  EXPECT_FALSE(fence.admit(header(RecordKind::kEpoch, 4, 5)));       // Skips an epoch.
  EXPECT_EQ(fence.epoch(), 2u);
  EXPECT_EQ(fence.last(), 4u);
}

TEST(Fence, LetsASequencerBeDeposedThatIsAheadOfItsSuccessor) {
  Fence fence(1, 7);
  EXPECT_TRUE(fence.admit(header(RecordKind::kOperations, 1, 8)));  // While the epoch record was on its way.
  EXPECT_TRUE(fence.admit(header(RecordKind::kEpoch, 2, 8)));
  EXPECT_EQ(fence.last(), 9u);
  EXPECT_FALSE(fence.admit(header(RecordKind::kOperations, 1, 9)));
  EXPECT_TRUE(fence.admit(header(RecordKind::kOperations, 2, 10)));
}

}  // namespace
}  // namespace partita::shards
