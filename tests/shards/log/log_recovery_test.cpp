// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/log_recovery.h"

#include <gtest/gtest.h>

namespace partita::shards {
namespace {

RecordHeader record(Sequence sequence, Time time, Time closed, Epoch epoch = 3) {
  RecordHeader header;
  header.epoch = epoch;
  header.sequence = sequence;
  header.commit_time = time;
  header.closed_time = closed;
  return header;
}
RecordHeader takeover(Sequence sequence, Time time, Epoch epoch) {
  RecordHeader header = record(sequence, time, time - 1, epoch);
  header.kind = RecordKind::kEpoch;
  return header;
}

TEST(LogRecovery, AdmitsRecordsInOrderAcrossTakeovers) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_TRUE(log.admit(record(8, 101, 100)).ok());
  EXPECT_TRUE(log.admit(takeover(9, 105, 4)).ok());
  EXPECT_TRUE(log.admit(record(10, 106, 105, 4)).ok());
  EXPECT_TRUE(log.gaps().empty());
}

TEST(LogRecovery, FindsPositionsThatNobodyWrote) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_TRUE(log.admit(record(10, 110, 100)).ok());
  EXPECT_TRUE(log.admit(record(12, 120, 104)).ok());
  ASSERT_EQ(log.gaps().size(), 3u);
  Time last = 100;
  for (const Position& gap : log.gaps()) {
    EXPECT_EQ(gap.epoch, 3u);
    EXPECT_GT(gap.commit_time, last);
    last = gap.commit_time;
  }
  EXPECT_EQ(log.gaps()[0].sequence, 8u);
  EXPECT_EQ(log.gaps()[1].sequence, 9u);
  EXPECT_LT(log.gaps()[1].commit_time, 110u);
  EXPECT_EQ(log.gaps()[2].sequence, 11u);
  EXPECT_LT(log.gaps()[2].commit_time, 120u);
}

TEST(LogRecovery, RefusesAGapBehindWhichAllHadCommitted) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_TRUE(log.admit(record(9, 110, 100)).ok());
  EXPECT_TRUE(log.admit(record(10, 111, 109)).ok());
  EXPECT_EQ(log.admit(record(11, 112, 110)).code(), Code::DataModifiedByRepair);
}

TEST(LogRecovery, RefusesAGapBeforeATakeover) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_TRUE(log.admit(record(8, 101, 100)).ok());
  EXPECT_FALSE(log.admit(takeover(10, 110, 4)).ok());
}

TEST(LogRecovery, RefusesAGapWithoutRoomForItsTimes) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_FALSE(log.admit(record(11, 103, 100)).ok());
}

TEST(LogRecovery, RefusesWhatTheFenceRefuses) {
  LogRecovery log(kDataLog, 8, 100);
  EXPECT_TRUE(log.admit(record(8, 101, 100)).ok());
  EXPECT_FALSE(log.admit(record(9, 102, 101, 5)).ok());
  EXPECT_FALSE(log.admit(record(8, 103, 101)).ok());
  EXPECT_FALSE(log.admit(record(9, 101, 100)).ok()) << "time stands still";
}

}  // namespace
}  // namespace partita::shards
