// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/sessions/retry.h"

#include <algorithm>
#include <cstring>

#include "wire/bson/payload.h"

namespace partita::shards {
namespace {

using bson::load;
using bson::store;

constexpr std::size_t kStatementHead = 13;

Status damaged(std::string_view what) { return error(Code::DataModifiedByRepair, "damaged retry row: ", what); }

void store_big_endian(std::uint8_t* to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

bool is_known(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(StatementKind::kInsert) &&
         kind <= static_cast<std::uint8_t>(StatementKind::kFindAndModify);
}

bool goes_on(const DoneStatements& before, const DoneStatements& after) {
  return std::int64_t{before.last} + 1 == after.first && before.kind == after.kind &&
         std::ranges::equal(before.outcome, after.outcome);
}

/// The last statements of a row. An image may have none: then it says only that its transaction has begun.
Result<std::optional<DoneStatements>> last_of(RetryRow row) {
  std::optional<DoneStatements> last;
  while (true) {
    TRY(const std::optional<DoneStatements> one, row.next());
    if (!one) return last;
    last = one;
  }
}

}  // namespace

std::string_view name_of(StatementKind kind) {
  switch (kind) {
    case StatementKind::kInsert:
      return "insert";
    case StatementKind::kUpdate:
      return "update";
    case StatementKind::kDelete:
      return "delete";
    case StatementKind::kFindAndModify:
      return "findAndModify";
  }
  return "unknown";
}

RetryPrefix retry_prefix(PartitionId partition) {
  RetryPrefix prefix;
  store_big_endian(prefix.data(), static_cast<std::uint32_t>(partition));
  return prefix;
}

RetryRange retry_range(PartitionId partition) {
  RetryRange range{retry_prefix(partition), std::nullopt};
  const std::uint32_t next = static_cast<std::uint32_t>(partition) + 1;
  if (next != 0) range.upper = retry_prefix(PartitionId{next});
  return range;
}

RetryKey retry_key(PartitionId partition, const StatementId& id, std::uint32_t block) {
  RetryKey key;
  store_big_endian(key.data(), static_cast<std::uint32_t>(partition));
  std::memcpy(key.data() + 4, id.session.data(), id.session.size());
  store(key.data() + 20, id.owner);
  store_big_endian(key.data() + 28, block);
  return key;
}

PartitionId partition_of(Bytes retry_key) {
  std::uint32_t id = 0;
  for (const std::uint8_t byte : retry_key.first(4)) id = id << 8 | byte;
  return PartitionId{id};
}

Result<RetryRow> RetryRow::open(Bytes row) {
  if (row.size() < kHeadSize) return damaged("shorter than its head");
  RetryRow opened;
  opened.bytes_ = row;
  opened.transaction_ = load<std::int64_t>(row.data());
  opened.time_ = load<Time>(row.data() + 8);
  return opened;
}

Result<std::optional<DoneStatements>> RetryRow::next() {
  const Bytes rest = bytes_.subspan(at_);
  if (rest.empty()) return std::optional<DoneStatements>();
  if (rest.size() < kStatementHead) return damaged("it ends within a statement");
  const auto size = load<std::uint32_t>(rest.data() + 9);
  if (size > rest.size() - kStatementHead) return damaged("an outcome is longer than the row");
  if (!is_known(rest[8])) return damaged("a statement of an unknown kind");
  at_ += kStatementHead + size;
  return std::optional(DoneStatements{load<std::int32_t>(rest.data()), load<std::int32_t>(rest.data() + 4),
                                      static_cast<StatementKind>(rest[8]), rest.subspan(kStatementHead, size)});
}

Status check_retry_row(Bytes row) {
  TRY(const RetryRow opened, RetryRow::open(row));
  return last_of(opened).status();
}

void begin_retry_row(bson::Buffer& out, std::int64_t transaction, Time time) {
  out.put(transaction);
  out.put(time);
}

void append_statements(bson::Buffer& out, const DoneStatements& statements) {
  out.put(statements.first);
  out.put(statements.last);
  out.push(static_cast<std::uint8_t>(statements.kind));
  out.put(static_cast<std::uint32_t>(statements.outcome.size()));
  out.append(statements.outcome);
}

Result<Bytes> merge_retry_rows(Bytes row, Bytes operation_image, bson::Buffer& scratch) {
  TRY(RetryRow before, RetryRow::open(row));
  TRY(RetryRow more, RetryRow::open(operation_image));
  if (more.transaction() > before.transaction()) return operation_image;
  if (more.transaction() < before.transaction()) return row;
  TRY(const auto last, last_of(before));
  TRY(const auto first, more.next());
  scratch.clear();
  begin_retry_row(scratch, before.transaction(), std::max(before.time(), more.time()));
  scratch.append(before.statements());
  if (!first) return scratch.bytes();
  if (last && goes_on(*last, *first)) {
    // The range in front grows; what stands behind the first of the new statements follows.
    const std::size_t at = scratch.size() - last->outcome.size() - kStatementHead;
    store(scratch.data() + at + 4, first->last);
    scratch.append(more.statements().subspan(kStatementHead + first->outcome.size()));
  } else {
    scratch.append(more.statements());
  }
  return scratch.bytes();
}

}  // namespace partita::shards
