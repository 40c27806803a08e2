// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/keys/encode.h"
#include "query/keys/key_reader.h"
#include "wire/bson/writer.h"

namespace partita::query::keys {

/// Reads the values of a key back, one field after the other: what a covered query returns, what an _id or a shard key
/// is rebuilt from. Wants the type bits that encode() wrote along; without them numbers come back as int, long or double
/// as their value suggests, and symbols as strings. Looks into the bytes given, which must outlive it.
class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> key, std::span<const std::uint8_t> type_bits) { reset(key, type_bits); }
  Decoder() = default;
  /// Begins with another key, with the memory that is there.
  void reset(std::span<const std::uint8_t> key, std::span<const std::uint8_t> type_bits) {
    rest_ = key;
    types_ = TypeBitsReader(type_bits);
  }

  bool done() const { return rest_.empty(); }
  /// The first byte of the next value, as in an ascending field: its type class, or one within it. 0 at the end.
  std::uint8_t lead(Direction direction) const {
    if (rest_.empty()) return 0;
    return direction == Direction::kAscending ? rest_[0] : static_cast<std::uint8_t>(~rest_[0]);
  }
  /// Adds the next value to `out` under that name. Fails with InternalError on bytes that encode() did not write; `out`
  /// may then hold a part of the value.
  Status next(Direction direction, std::string_view name, bson::Writer& out);
  /// A hash, which stands there in place of a value: what append_hash() wrote.
  Result<std::uint64_t> next_hash();

 private:
  /// A document or array being written.
  struct Level {
    bson::Writer writer;
    bool array;
    std::uint32_t index = 0;      ///< Of the next element, in an array.
    std::size_t scoped_code = 0;  ///< Where the length of the code around this scope belongs; 0 when it is none.
  };

  void step(KeyReader& key, std::string_view name, bson::Writer& out);
  void leave(bson::Buffer& out);
  void enter(KeyReader& key, bson::TypeClass type_class, std::string_view name, bson::Writer& out);
  std::string_view field_name(KeyReader& key, std::string_view outermost);
  bson::Value take_body(KeyReader& key, std::uint8_t lead);

  std::span<const std::uint8_t> rest_;
  TypeBitsReader types_;
  std::vector<Level> levels_;
  bson::Buffer name_;
  bson::Buffer payload_;
  std::array<std::uint8_t, 16> decimal_{};
};

}  // namespace partita::query::keys
