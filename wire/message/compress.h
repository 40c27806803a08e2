// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wire/bson/buffer.h"
#include "wire/bson/view.h"
#include "wire/message/header.h"

namespace partita::wire {

/// The numbers travel in OP_COMPRESSED.
enum class Compressor : std::uint8_t { kNoop = 0, kSnappy = 1, kZlib = 2, kZstd = 3 };

std::string_view compressor_name(Compressor compressor);
std::optional<Compressor> compressor_named(std::string_view name);

/// Which compressors a server takes. A small set by value.
class CompressorSet {
 public:
  constexpr CompressorSet() = default;
  constexpr CompressorSet(std::initializer_list<Compressor> members) {
    for (const Compressor one : members) insert(one);
  }
  /// "snappy,zstd,zlib" as in the settings; "disabled" is the empty set.
  static Result<CompressorSet> parse(std::string_view names);

  constexpr void insert(Compressor one) { bits_ |= bit(one); }
  constexpr bool contains(Compressor one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const CompressorSet&) const = default;

 private:
  static constexpr std::uint8_t bit(Compressor one) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(one));
  }
  std::uint8_t bits_ = 0;
};

constexpr CompressorSet kDefaultCompressors{Compressor::kSnappy, Compressor::kZstd, Compressor::kZlib};

/// What hello answers to a client's `compression` array: the names both sides know, in the client's order, each once.
/// A client may use any of the server's set whether or not it has asked before, as with mongod.
std::vector<Compressor> negotiate(bson::View wanted, CompressorSet offered);

/// OP_COMPRESSED behind the header:
///
///      0                 4                   8            9
///     +-----------------+-------------------+------------+--------------
///     | original opcode | uncompressed size | compressor | compressed payload
///     +-----------------+-------------------+------------+--------------
constexpr std::size_t kCompressedHeadSize = 9;

/// Restores the message inside a whole OP_COMPRESSED frame: on success `out` holds it, with the header that it would
/// have had. What is claimed must be what comes out, to the byte, with nothing left over on either side, and the claim
/// is held against `limit` and against what the format could make of so few bytes before any memory is asked for.
/// Every failure is a ProtocolError: the connection ends.
Result<Compressor> inflate(std::span<const std::uint8_t> frame, CompressorSet allowed, std::uint32_t limit,
                           bson::Buffer& out);

/// Rewrites the finished message that begins at `start` and ends `message` as OP_COMPRESSED, if that is shorter;
/// otherwise leaves it. `scratch` is overwritten.
void deflate(Compressor compressor, bson::Buffer& message, std::size_t start, bson::Buffer& scratch);

/// Commands whose text helps to guess a secret when its compressed length shows: never compressed, either way.
bool never_compressed(std::string_view command);

}  // namespace partita::wire
