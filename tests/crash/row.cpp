// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/row.h"

namespace partita::crash {
namespace {

constexpr std::int64_t kWriterStride = 1'000'000;

std::uint64_t seed_of(const Row& row) {
  return mix(mix(static_cast<std::uint64_t>(id_of(row.writer, row.key))) + static_cast<std::uint64_t>(row.version));
}

std::optional<std::int64_t> whole(const bson_t& document, const char* field) {
  bson_iter_t found;
  if (!bson_iter_init_find(&found, &document, field) || !BSON_ITER_HOLDS_INT64(&found)) return std::nullopt;
  return bson_iter_int64(&found);
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {  // Steele, Lea and Flood's splitmix64.
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::int64_t id_of(int writer, int key) { return writer * kWriterStride + key; }

std::int32_t slot_of(const Row& row) { return static_cast<std::int32_t>(seed_of(row) % 30'000); }

std::string payload_of(const Row& row) {
  std::uint64_t bits = mix(seed_of(row));
  const bool large = bits % 50 == 0;  // Larger than a page of the store, so that overflow items are met too.
  std::string payload(large ? 20'000 : bits % 2'000, ' ');
  for (char& letter : payload) {
    bits = bits * 6364136223846793005 + 1442695040888963407;
    letter = static_cast<char>('a' + (bits >> 40) % 26);
  }
  return payload;
}

client::Bson document_of(const Row& row) {
  const std::string payload = payload_of(row);
  client::Bson document(bson_new());
  BSON_APPEND_INT64(document.get(), "_id", id_of(row.writer, row.key));
  BSON_APPEND_INT64(document.get(), "writer", row.writer);
  BSON_APPEND_INT64(document.get(), "version", row.version);
  BSON_APPEND_INT32(document.get(), "slot", slot_of(row));
  bson_append_utf8(document.get(), "payload", -1, payload.data(), static_cast<int>(payload.size()));
  return document;
}

std::optional<Row> read_row(const bson_t& document) {
  const auto id = whole(document, "_id");
  const auto writer = whole(document, "writer");
  const auto version = whole(document, "version");
  if (!id || !writer || !version) return std::nullopt;
  const Row row{static_cast<int>(*writer), static_cast<int>(*id % kWriterStride), *version};
  if (!bson_equal(document_of(row).get(), &document)) return std::nullopt;
  return row;
}

}  // namespace partita::crash
