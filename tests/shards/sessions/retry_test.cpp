// SPDX-License-Identifier: GPL-3.0-or-later
//
// Retry rows are on disk: their format is held against golden bytes. What is found in them is held against a map, and what
// replay makes of the records against what the drafts made.
#include "shards/sessions/retry.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "shards/log/draft.h"
#include "shards/sessions/retry_rows.h"
#include "shards/storage/memory_tables.h"
#include "tests/support/hex.h"
#include "tests/support/random.h"
#include "tests/support/test_path.h"

namespace partita::shards {
namespace {

using Raw = std::vector<std::uint8_t>;
using MemoryDraft = BasicDraft<MemorySession>;

constexpr PartitionId kPartition{7};
constexpr Time kNow = Time{1'700'000'000} << 32 | 5;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

StatementId sample_id(std::int64_t transaction, std::int32_t statement) {
  StatementId id{.owner = 0x0102030405060708, .transaction = transaction, .statement = statement};
  for (std::size_t i = 0; i < id.session.size(); ++i) id.session[i] = static_cast<std::uint8_t>(0xA0 + i);
  return id;
}

Raw sample_row() {
  bson::Buffer row;
  begin_retry_row(row, 42, kNow);
  append_statements(row, {0, 9, StatementKind::kInsert, {}});
  append_statements(row, {10, 10, StatementKind::kFindAndModify, bytes_of("outcome")});
  return {row.bytes().begin(), row.bytes().end()};
}

Raw merged(Bytes row, Bytes image) {
  bson::Buffer scratch;
  const Bytes after = std::move(merge_retry_rows(row, image, scratch)).value();
  return {after.begin(), after.end()};
}

TEST(RetryRow, KeepsItsBytesForEver) {
  std::ifstream golden(test::test_path("shards/sessions/retry_row.golden"));
  std::string key;
  std::string row;
  ASSERT_TRUE(golden >> key >> row);
  EXPECT_EQ(test::hex(retry_key(PartitionId{0x01020304}, sample_id(42, 70), block_of(70))), key);
  EXPECT_EQ(test::hex(sample_row()), row);
}

TEST(RetryRow, ReadsBackWhatWasWritten) {
  const Raw bytes = sample_row();
  RetryRow row = std::move(RetryRow::open(bytes)).value();
  EXPECT_EQ(row.transaction(), 42);
  EXPECT_EQ(row.time(), kNow);
  const auto first = *row.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->last, 9);
  const auto second = *row.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, StatementKind::kFindAndModify);
  EXPECT_EQ(test::hex(second->outcome), test::hex(bytes_of("outcome")));
  EXPECT_FALSE(*row.next());
}

TEST(RetryRow, RefusesEveryCutThatIsNoRow) {
  const Raw bytes = sample_row();
  const std::size_t first_ends = RetryRow::kHeadSize + 13;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool whole = size == RetryRow::kHeadSize || size == first_ends;
    EXPECT_EQ(check_retry_row(Bytes(bytes).first(size)).ok(), whole) << size;
  }
}

TEST(RetryRow, NeverReadsBeyondItsEndWhateverItsLengthsSay) {
  test::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    Raw bytes = sample_row();
    for (int flips = 0; flips < 3; ++flips) bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.below(256));
    bytes.shrink_to_fit();
    bson::Buffer scratch;
    (void)check_retry_row(bytes).ok();
    (void)merge_retry_rows(bytes, sample_row(), scratch).ok();
    (void)merge_retry_rows(sample_row(), bytes, scratch).ok();
  }
}

TEST(RetryRow, BeginsAnewWithAHigherNumberAndIgnoresALowerOne) {
  bson::Buffer other;
  begin_retry_row(other, 41, kNow);
  append_statements(other, {1, 1, StatementKind::kDelete, {}});
  EXPECT_EQ(merged(other.bytes(), sample_row()), sample_row());
  EXPECT_EQ(merged(sample_row(), other.bytes()), sample_row());
}

TEST(RetryRow, JoinsNeighboursWithEqualOutcomes) {
  bson::Buffer more;
  begin_retry_row(more, 42, kNow + 1);
  append_statements(more, {11, 11, StatementKind::kFindAndModify, bytes_of("outcome")});
  append_statements(more, {12, 12, StatementKind::kFindAndModify, bytes_of("another")});
  const Raw after = merged(sample_row(), more.bytes());
  EXPECT_EQ(after.size(), sample_row().size() + 13 + 7);
  RetryRow row = std::move(RetryRow::open(after)).value();
  EXPECT_EQ(row.time(), kNow + 1);
  EXPECT_TRUE(*row.next());
  EXPECT_EQ((*row.next())->last, 11);
  EXPECT_EQ((*row.next())->first, 12);
}

TEST(RetryRow, IsForgottenAfterTheTimeOfItsSession) {
  EXPECT_FALSE(is_forgettable(kNow, 1800, seconds_of(kNow) + 1800));
  EXPECT_FALSE(is_forgettable(kNow, 1800, seconds_of(kNow) + 1800 + kRetryRefreshSeconds));
  EXPECT_TRUE(is_forgettable(kNow, 1800, seconds_of(kNow) + 1801 + kRetryRefreshSeconds));
  EXPECT_FALSE(is_forgettable(kNow, 1800, 0));  // A clock that has gone back.
}

/// One session's statements as a map remembers them, and as drafts and a replay of their records do.
class RetryModel : public testing::TestWithParam<std::uint64_t> {
 protected:
  RetryModel() {
    EXPECT_EQ(replayed_.table("catalog"), applier_tables_.catalog);
    EXPECT_EQ(replayed_.table("retry"), applier_tables_.retry);
  }
  struct Done {
    StatementKind kind;
    std::string outcome;
  };

  void note(std::int32_t first, std::int32_t last, StatementKind kind, const std::string& outcome) {
    MemorySession session(tables_);
    draft_.begin(RecordKind::kOperations, kDataLog, applier_tables_);
    const StatementId id = sample_id(transaction_, first);
    const Begun begun = model_.empty() && first % 2 == 0 ? Begun::kNew : Begun::kUnknown;
    // Who has looked goes on from there.
    if (first % 4 == 0) {
      ASSERT_FALSE(draft_.find_statement(session, slot_, id)->done.has_value());
    }
    ASSERT_TRUE(draft_.note_retry(session, kPartition, id, {first, last, kind, bytes_of(outcome)}, now_, begun).ok());
    draft_.release();
    session.commit();
    for (std::int64_t statement = first; statement <= last; ++statement) {
      model_[static_cast<std::int32_t>(statement)] = {kind, outcome};
    }
    replay();
  }
  void replay() {
    RecordReader reader = std::move(RecordReader::open(draft_.record().finish(1, 1, 1, 1))).value();
    MemorySession session(replayed_);
    BasicApplier<MemorySession> applier(applier_tables_);
    while (const auto operation = *reader.next()) {
      ASSERT_EQ(operation->type, OperationType::kRetryRow);
      ASSERT_TRUE(*applier.put_retry_row(session, operation->key, operation->image));
    }
    session.commit();
  }
  void expect_known(std::int32_t statement) {
    MemorySession session(tables_);
    const auto found = find_statement(session, applier_tables_.retry, kPartition, sample_id(transaction_, statement));
    ASSERT_TRUE(found.ok()) << found.status().message();
    const auto expected = model_.find(statement);
    ASSERT_EQ(found->done.has_value(), expected != model_.end()) << "statement " << statement << " of " << transaction_;
    EXPECT_EQ(found->begun, !model_.empty());
    if (!found->done) return;
    EXPECT_EQ(found->done->kind, expected->second.kind);
    EXPECT_EQ(test::hex(found->done->outcome), test::hex(bytes_of(expected->second.outcome)));
  }
  void expect_older_is_refused(std::int32_t statement) {
    MemorySession session(tables_);
    const auto found = find_statement(session, applier_tables_.retry, kPartition, sample_id(transaction_ - 1, statement));
    EXPECT_EQ(found.status().code(), model_.empty() ? Code::OK : Code::TransactionTooOld);
  }

  MemoryTables tables_;
  MemoryTables replayed_;
  ApplierTables applier_tables_{tables_.table("catalog"), tables_.table("retry")};
  const PartitionSlot slot_{.partition = std::make_shared<Partition>(kPartition, Uuid{}, kNoTable)};
  MemoryDraft draft_;
  std::map<std::int32_t, Done> model_;
  std::int64_t transaction_ = 1;
  Time now_ = kNow;
};

TEST_P(RetryModel, FindsWhatWasDoneAndNothingElse) {
  test::Random random(GetParam());
  for (int step = 0; step < 400; ++step) {
    if (random.one_in(20)) {
      ++transaction_;
      model_.clear();
    }
    now_ += Time{random.below(50)} << 32;
    const auto first = static_cast<std::int32_t>(random.below(400)) - 40;
    const auto length = static_cast<std::int32_t>(random.below(random.one_in(3) ? 100 : 5));
    const auto kind = static_cast<StatementKind>(1 + random.below(4));
    bool fresh = true;  // A statement that is known is never done again.
    for (std::int32_t i = 0; i <= length; ++i) fresh = fresh && !model_.contains(first + i);
    if (fresh) note(first, first + length, kind, std::string(random.below(3), 'o'));
    for (int i = 0; i < 20; ++i) expect_known(static_cast<std::int32_t>(random.below(500)) - 60);
    expect_older_is_refused(static_cast<std::int32_t>(random.below(500)) - 60);
    if (HasFailure()) return;
  }
  EXPECT_EQ(tables_.hash(), replayed_.hash());
}

TEST_P(RetryModel, KnowsTheLastNumbersThereAre) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  note(kMost - 40, kMost, StatementKind::kInsert, "");
  note(kLeast, kLeast + 5, StatementKind::kUpdate, "u");
  for (const std::int32_t statement : {kMost - 41, kMost - 40, kMost, kLeast, kLeast + 5, kLeast + 6, 0}) expect_known(statement);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RetryModel, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace partita::shards
