// SPDX-License-Identifier: GPL-3.0-or-later
//
// Single stories of a simulated log; tests/simulation tells random ones.
#include "shards/log/memory_log.h"

#include <gtest/gtest.h>

namespace partita::shards {
namespace {

class MemoryLogTest : public testing::Test {
 protected:
  struct Node {
    explicit Node(MemoryLogTest& test, std::string name)
        : name(std::move(name)), clock(test.time_), log(test.topic_, kDataLog, test.time_, clock, test.faults_) {}
    std::string name;
    HybridClock clock;
    MemoryLog log;
  };
  struct Sent {
    RecordWriter record;
    Append append;
    bool answered = false;
  };

  void settle() {
    while (time_.step()) {
    }
  }
  Status take_over(Node& node) {
    Takeover takeover;
    takeover.node = node.name;
    takeover.done = [](Takeover&) {};
    node.log.acquire(takeover);
    settle();
    return takeover.status;
  }
  /// On its way; settle() brings the answer.
  std::unique_ptr<Sent> send(Node& node) {
    auto sent = std::make_unique<Sent>();
    sent->record.begin(RecordKind::kTick, kDataLog);
    sent->append.epoch = node.log.epoch();
    sent->append.record = &sent->record;
    sent->append.context = &sent->answered;
    sent->append.acknowledged = [](Append& done) { *static_cast<bool*>(done.context) = true; };
    node.log.append(sent->append);
    return sent;
  }

  VirtualTime time_{1};
  MemoryFaults faults_;
  MemoryTopic topic_;
};

TEST_F(MemoryLogTest, AcknowledgesInOrder) {
  Node node(*this, "a");
  ASSERT_TRUE(take_over(node).ok());
  const auto first = send(node);
  const auto second = send(node);
  EXPECT_FALSE(first->answered);
  settle();
  EXPECT_TRUE(first->answered && first->append.status.ok());
  EXPECT_TRUE(second->answered && second->append.status.ok());
  EXPECT_EQ(second->append.position.sequence, first->append.position.sequence + 1);
  EXPECT_EQ(node.log.barriers(), 0u);
}

TEST_F(MemoryLogTest, TellsAStaleWriterThatItsRecordIsLost) {
  Node old(*this, "old");
  Node young(*this, "young");
  ASSERT_TRUE(take_over(old).ok());
  ASSERT_TRUE(take_over(young).ok());
  const auto late = send(old);
  const auto good = send(young);
  settle();
  EXPECT_EQ(late->append.status.code(), Code::NotWritablePrimary);
  EXPECT_FALSE(old.log.contends());
  EXPECT_TRUE(good->append.status.ok());
}

TEST_F(MemoryLogTest, FindsOutWhatBecameOfARecordThatNobodyAcknowledged) {
  Node node(*this, "a");
  ASSERT_TRUE(take_over(node).ok());
  faults_.lose_acknowledgement = 1;
  const auto arrived = send(node);
  faults_.lose_append = 1;
  const auto lost = send(node);
  faults_.lose_append = 0;
  settle();
  EXPECT_TRUE(arrived->answered && arrived->append.status.ok());
  EXPECT_TRUE(lost->answered);
  EXPECT_EQ(lost->append.status.code(), Code::NotWritablePrimary);
  EXPECT_TRUE(node.log.leads());  // Over itself, with the next epoch.
  EXPECT_EQ(node.log.epoch(), 2u);
}

TEST_F(MemoryLogTest, KeepsItsWordThroughACrashOfTheWriter) {
  auto node = std::make_unique<Node>(*this, "a#1");
  ASSERT_TRUE(take_over(*node).ok());
  const auto sent = send(*node);
  node.reset();  // With the record on its way.
  settle();
  EXPECT_FALSE(sent->answered);
  Node next(*this, "a#2");
  ASSERT_TRUE(take_over(next).ok());
  EXPECT_EQ(next.log.end(), 4u);  // Two epochs and the record.
}

TEST_F(MemoryLogTest, ReadsOnFromARecordAndNotFromBeforeItsBeginning) {
  Node node(*this, "a");
  ASSERT_TRUE(take_over(node).ok());
  const auto first = send(node);
  const auto second = send(node);
  settle();
  ASSERT_TRUE(node.log.truncate(second->append.position.sequence).ok());
  EXPECT_EQ(node.log.tail(first->append.position.sequence).status().code(), Code::SnapshotTooOld);
  auto tail = std::move(node.log.tail(second->append.position.sequence)).value();
  EXPECT_EQ(read_header(**tail->next())->sequence, second->append.position.sequence);
  EXPECT_FALSE(*tail->next());
}

}  // namespace
}  // namespace partita::shards
