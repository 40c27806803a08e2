// SPDX-License-Identifier: GPL-3.0-or-later
//
// The record format is on disk: it is held against golden bytes, read back, and damaged in every way a disk can.
#include "shards/log/record.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "shards/sessions/retry.h"
#include "tests/support/hex.h"
#include "tests/support/test_path.h"

namespace partita::shards {
namespace {

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

Uuid counting_uuid() {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<std::uint8_t>(i);
  return uuid;
}

std::vector<std::uint8_t> sample(RecordWriter& writer) {
  writer.begin(RecordKind::kOperations, kDataLog);
  writer.add({OperationType::kInsert, PartitionId{7}, counting_uuid(), bytes_of("key"), bytes_of("document")});
  writer.add({OperationType::kDelete, PartitionId{7}, counting_uuid(), bytes_of(std::string(200, 'k')), {}});
  const Bytes bytes = writer.finish(3, 42, 0x6553F10000000001, 0x6553F10000000000);
  return {bytes.begin(), bytes.end()};
}

TEST(Record, KeepsItsBytesForEver) {
  RecordWriter writer;
  std::ifstream golden(test::test_path("shards/log/record.golden"));
  std::string expected;
  ASSERT_TRUE(golden >> expected);
  EXPECT_EQ(test::hex(sample(writer)), expected);
}

TEST(Record, KeepsTheBytesOfRetryOperations) {
  RecordWriter writer;
  std::ifstream golden(test::test_path("shards/log/retry_record.golden"));
  std::string expected;
  ASSERT_TRUE(golden >> expected);
  const StatementId id{.session = counting_uuid(), .owner = 0, .transaction = 42, .statement = 70};
  bson::Buffer image;
  begin_retry_row(image, id.transaction, 0x6553F10000000000);
  append_statements(image, {70, 75, StatementKind::kUpdate, bytes_of("outcome")});
  writer.begin(RecordKind::kOperations, kDataLog);
  const RetryKey key = retry_key(PartitionId{7}, id, block_of(id.statement));
  writer.add({OperationType::kRetryRow, PartitionId{7}, {}, key, image.bytes()});
  writer.add({OperationType::kRetryDelete, PartitionId{7}, {}, key, {}});
  EXPECT_EQ(test::hex(writer.finish(3, 42, 0x6553F10000000001, 0x6553F10000000000)), expected);
}

TEST(Record, ReadsBackWhatWasWritten) {
  RecordWriter writer;
  const std::vector<std::uint8_t> bytes = sample(writer);
  auto reader = RecordReader::open(bytes);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ(reader->header().epoch, 3u);
  EXPECT_EQ(reader->header().sequence, 42u);
  EXPECT_EQ(reader->header().log, kDataLog);
  auto first = reader->next();
  ASSERT_TRUE(first.ok() && *first);
  EXPECT_EQ((*first)->type, OperationType::kInsert);
  EXPECT_EQ((*first)->partition, PartitionId{7});
  EXPECT_EQ((*first)->collection, counting_uuid());
  EXPECT_EQ(test::hex((*first)->key), test::hex(bytes_of("key")));
  EXPECT_EQ(test::hex((*first)->image), test::hex(bytes_of("document")));
  auto second = reader->next();
  ASSERT_TRUE(second.ok() && *second);
  EXPECT_EQ((*second)->key.size(), 200u);
  auto end = reader->next();
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(*end);
}

TEST(Record, NoticesEveryFlippedBit) {
  RecordWriter writer;
  std::vector<std::uint8_t> bytes = sample(writer);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(RecordReader::open(bytes).ok()) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
}

TEST(Record, NoticesEveryCut) {
  RecordWriter writer;
  const std::vector<std::uint8_t> bytes = sample(writer);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(RecordReader::open(Bytes(bytes).first(size)).ok()) << size;
  }
}

TEST(Record, ForgetsWhatIsRewound) {
  RecordWriter writer;
  writer.begin(RecordKind::kOperations, kDataLog);
  writer.add({OperationType::kInsert, PartitionId{1}, {}, bytes_of("a"), bytes_of("x")});
  const auto mark = writer.mark();
  writer.add({OperationType::kInsert, PartitionId{1}, {}, bytes_of("b"), bytes_of("y")});
  writer.rewind(mark);
  auto reader = RecordReader::open(writer.finish(1, 1, 1, 1));
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(*reader->next());
  EXPECT_FALSE(*reader->next());
}

}  // namespace
}  // namespace partita::shards
