// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "shards/log/clock.h"
#include "shards/storage/bytes.h"
#include "wire/bson/buffer.h"
#include "wire/error/status.h"

namespace partita::shards {

enum class LogId : std::uint32_t {};
constexpr LogId kCatalogLog{0};
constexpr LogId kDataLog{1};
using Epoch = std::uint64_t;
using Sequence = std::uint64_t;
enum class PartitionId : std::uint32_t {};
using Uuid = std::array<std::uint8_t, 16>;

/// What a record is for. The numbers are on disk: none is ever given a second meaning.
enum class RecordKind : std::uint8_t {
  kOperations = 1,  ///< Changes to documents and retry rows.
  kCatalog = 2,     ///< Changes to catalog rows (log 0 only).
  kVoid = 3,        ///< A position that was taken and then not used.
  kEpoch = 4,       ///< A sequencer takes the log over; the body is its node.
  kTick = 5,        ///< Nothing but the time.
  kSnapshot = 6,    ///< Rows as they were at its time: a chunk of an export, never in a log.
};

/// The first 64 bytes of every record, little-endian:
///
///      0  magic "PTLR"        16  epoch          48  hash of the record before (replicated logs; else 0)
///      4  version = 1         24  sequence       56  body length
///      5  kind                32  commit time    60  CRC-32C over all 64 bytes (these four as 0) and the body
///      6  chunk index, count  40  closed time
///      8  log id              (nothing at or before the closed time comes behind this record)
///     12  operation count
struct RecordHeader {
  static constexpr std::size_t kSize = 64;
  static constexpr std::uint32_t kMagic = 0x524C5450;  // "PTLR"
  static constexpr std::uint8_t kVersion = 1;

  RecordKind kind = RecordKind::kOperations;
  std::uint8_t chunk = 0;
  std::uint8_t chunks = 1;
  LogId log = kDataLog;
  std::uint32_t operations = 0;
  Epoch epoch = 0;
  Sequence sequence = 0;
  Time commit_time = 0;
  Time closed_time = 0;
  std::uint64_t previous_hash = 0;
  std::uint32_t body_size = 0;
  bool operator==(const RecordHeader&) const = default;
};

/// What one operation does. The numbers are on disk.
enum class OperationType : std::uint8_t {
  kInsert = 1,         ///< key, image = the document.
  kUpdate = 2,         ///< key, image = the whole document afterwards.
  kUpdateDiff = 3,     ///< key, image = binary difference to the document before.
  kDelete = 4,         ///< key.
  kRetryRow = 5,       ///< key, image = statements that are done, to be added to the row; see retry.h.
  kCatalogPut = 6,     ///< key = catalog row, image = its document.
  kCatalogDelete = 7,  ///< key = catalog row. A partition's takes the partition's retry rows along.
  kRetryDelete = 8,    ///< key = a retry row that may be forgotten, or is gone already.
  kCatalogRetire = 9,  ///< key = the row of a partition whose retry rows others inherit: they stay.
};

/// One operation of a record:
///
///     type (1)  partition (4)  collection uuid (16)  key length (varint)  key  image length (varint)  image
///
/// Catalog operations leave partition and collection zero.
struct Operation {
  OperationType type = OperationType::kInsert;
  PartitionId partition{0};
  Uuid collection{};
  Bytes key;
  Bytes image;
};

/// What an epoch record holds: who takes the log over, as the key of its only operation.
Operation epoch_operation(std::string_view node);

/// Drafts a record: operations are appended as they are decided; position and time are filled in last. Used again for
/// the next record without giving its memory back. One thread at a time.
class RecordWriter {
 public:
  void begin(RecordKind kind, LogId log);
  void add(const Operation& operation);
  bool empty() const { return header_.operations == 0; }
  std::uint32_t operations() const { return header_.operations; }
  std::size_t size() const { return bytes_.size(); }
  /// The finished bytes; valid until the next begin().
  Bytes finish(Epoch epoch, Sequence sequence, Time commit, Time closed, std::uint64_t previous_hash = 0);

  RecordKind kind() const { return header_.kind; }
  LogId log() const { return header_.log; }

  /// Forgets everything added after a mark taken with size() and operations().
  struct Mark {
    std::size_t size;
    std::uint32_t operations;
  };
  Mark mark() const { return {bytes_.size(), header_.operations}; }
  void rewind(Mark mark);

 private:
  RecordHeader header_;
  bson::Buffer bytes_;
};

/// Reads a record back; every length is checked, for bytes on disk are input too. Views into the caller's bytes.
class RecordReader {
 public:
  /// Checks magic, version, lengths and checksum.
  static Result<RecordReader> open(Bytes record);
  const RecordHeader& header() const { return header_; }
  Bytes body() const { return body_; }
  /// The next operation, nullopt behind the last.
  Result<std::optional<Operation>> next();

 private:
  RecordHeader header_;
  Bytes body_;
  std::size_t at_ = 0;
  std::uint32_t read_ = 0;
};

/// The header alone, unchecked but for magic and version: what Fence and tailers look at first.
Result<RecordHeader> read_header(Bytes record);

/// XXH3 over a whole record: what the next record of a replicated log carries as previous_hash.
std::uint64_t record_hash(Bytes record);

}  // namespace partita::shards
