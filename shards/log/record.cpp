// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/record.h"

#define XXH_INLINE_ALL  // Most keys are shorter than a call of a library is long.
#include <xxhash.h>

#include <cassert>
#include <cstring>

#include "wire/bson/payload.h"
#include "wire/message/checksum.h"

namespace partita::shards {
namespace {

using bson::load;
using bson::store;

constexpr std::size_t kCrcOffset = 60;
constexpr std::size_t kFixedOperation = 1 + 4 + 16;

void put_varint(bson::Buffer& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push(static_cast<std::uint8_t>(value));
}

/// False when the bytes end first or the number is longer than 64 bits.
bool get_varint(Bytes bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const std::uint8_t byte = bytes[at++];
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool get_blob(Bytes bytes, std::size_t& at, Bytes& blob) {
  std::uint64_t size = 0;
  if (!get_varint(bytes, at, size) || size > bytes.size() - at) return false;
  blob = bytes.subspan(at, size);
  at += size;
  return true;
}

void write_header(std::uint8_t* at, const RecordHeader& header) {
  store(at + 0, RecordHeader::kMagic);
  at[4] = RecordHeader::kVersion;
  at[5] = static_cast<std::uint8_t>(header.kind);
  at[6] = header.chunk;
  at[7] = header.chunks;
  store(at + 8, static_cast<std::uint32_t>(header.log));
  store(at + 12, header.operations);
  store(at + 16, header.epoch);
  store(at + 24, header.sequence);
  store(at + 32, header.commit_time);
  store(at + 40, header.closed_time);
  store(at + 48, header.previous_hash);
  store(at + 56, header.body_size);
  store(at + kCrcOffset, std::uint32_t{0});
}

Status damaged(std::string_view what) { return error(Code::DataModifiedByRepair, "damaged log record: ", what); }

}  // namespace

Operation epoch_operation(std::string_view node) {
  Operation operation;
  operation.type = OperationType::kCatalogPut;
  operation.key = bytes_of(node);
  return operation;
}

void RecordWriter::begin(RecordKind kind, LogId log) {
  header_ = {};
  header_.kind = kind;
  header_.log = log;
  bytes_.clear();
  bytes_.prepare(RecordHeader::kSize);
  bytes_.commit(RecordHeader::kSize);
}

void RecordWriter::add(const Operation& operation) {
  std::uint8_t* at = bytes_.prepare(kFixedOperation + 20 + operation.key.size() + operation.image.size());
  at[0] = static_cast<std::uint8_t>(operation.type);
  store(at + 1, static_cast<std::uint32_t>(operation.partition));
  std::memcpy(at + 5, operation.collection.data(), operation.collection.size());
  bytes_.commit(kFixedOperation);
  put_varint(bytes_, operation.key.size());
  bytes_.append(operation.key);
  put_varint(bytes_, operation.image.size());
  bytes_.append(operation.image);
  ++header_.operations;
}

void RecordWriter::rewind(Mark mark) {
  bytes_.truncate(mark.size);
  header_.operations = mark.operations;
}

Bytes RecordWriter::finish(Epoch epoch, Sequence sequence, Time commit, Time closed, std::uint64_t previous_hash) {
  header_.epoch = epoch;
  header_.sequence = sequence;
  header_.commit_time = commit;
  header_.closed_time = closed;
  header_.previous_hash = previous_hash;
  header_.body_size = static_cast<std::uint32_t>(bytes_.size() - RecordHeader::kSize);
  write_header(bytes_.data(), header_);
  store(bytes_.data() + kCrcOffset, wire::crc32c(bytes_.bytes()));
  return bytes_.bytes();
}

Result<RecordHeader> read_header(Bytes record) {
  if (record.size() < RecordHeader::kSize) return damaged("shorter than its header");
  const std::uint8_t* at = record.data();
  if (load<std::uint32_t>(at) != RecordHeader::kMagic) return damaged("no magic number");
  if (at[4] != RecordHeader::kVersion) return damaged("of another version");
  RecordHeader header;
  header.kind = static_cast<RecordKind>(at[5]);
  header.chunk = at[6];
  header.chunks = at[7];
  header.log = LogId{load<std::uint32_t>(at + 8)};
  header.operations = load<std::uint32_t>(at + 12);
  header.epoch = load<std::uint64_t>(at + 16);
  header.sequence = load<std::uint64_t>(at + 24);
  header.commit_time = load<std::uint64_t>(at + 32);
  header.closed_time = load<std::uint64_t>(at + 40);
  header.previous_hash = load<std::uint64_t>(at + 48);
  header.body_size = load<std::uint32_t>(at + 56);
  return header;
}

Result<RecordReader> RecordReader::open(Bytes record) {
  RecordReader reader;
  TRY(reader.header_, read_header(record));
  if (reader.header_.body_size != record.size() - RecordHeader::kSize) return damaged("length and header disagree");
  // The checksum was made with its own four bytes zero; they lie in the middle, so the header is copied to clear them.
  std::array<std::uint8_t, RecordHeader::kSize> header;
  std::memcpy(header.data(), record.data(), header.size());
  store(header.data() + kCrcOffset, std::uint32_t{0});
  reader.body_ = record.subspan(RecordHeader::kSize);
  const std::uint32_t crc = wire::crc32c(reader.body_, wire::crc32c(header));
  if (crc != load<std::uint32_t>(record.data() + kCrcOffset)) return damaged("wrong checksum");
  return reader;
}

Result<std::optional<Operation>> RecordReader::next() {
  if (read_ == header_.operations) return std::optional<Operation>();
  if (body_.size() - at_ < kFixedOperation) return damaged("an operation is cut off");
  const std::uint8_t* from = body_.data() + at_;
  Operation operation;
  operation.type = static_cast<OperationType>(from[0]);
  operation.partition = PartitionId{load<std::uint32_t>(from + 1)};
  std::memcpy(operation.collection.data(), from + 5, operation.collection.size());
  at_ += kFixedOperation;
  if (!get_blob(body_, at_, operation.key) || !get_blob(body_, at_, operation.image)) {
    return damaged("an operation is cut off");
  }
  ++read_;
  return std::optional<Operation>(operation);
}

std::uint64_t record_hash(Bytes record) { return XXH3_64bits(record.data(), record.size()); }

}  // namespace partita::shards
