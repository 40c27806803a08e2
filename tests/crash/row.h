// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "tools/client/mongo.h"

/// The documents of the crash test. Everything in one follows from whose it is and how often it was written, so that
/// a document found after a crash is either exactly what somebody wrote, or broken.
///
///     {_id: 3000017, writer: 3, version: 9, slot: 20113, payload: <up to 2,000 bytes, sometimes 20,000>}
///
/// `slot` is indexed and changes with every version: an index entry left behind, or missing, shows.
namespace partita::crash {

inline constexpr const char* kDatabase = "crash";
inline constexpr const char* kRows = "rows";
inline constexpr const char* kSlotIndex = "slot_1";

struct Row {
  int writer;
  int key;
  std::int64_t version;
  auto operator<=>(const Row&) const = default;
};

std::uint64_t mix(std::uint64_t value);

std::int64_t id_of(int writer, int key);
std::int32_t slot_of(const Row& row);
std::string payload_of(const Row& row);
client::Bson document_of(const Row& row);

/// The row that a document says it is, or nullopt when even one byte of it differs from what was written.
std::optional<Row> read_row(const bson_t& document);

}  // namespace partita::crash
