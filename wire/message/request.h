// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "wire/bson/view.h"
#include "wire/message/compress.h"

namespace partita::wire {

/// A document sequence of OP_MSG: documents one behind the other under one name, standing for an array of that name in
/// the body. All of them have been validated.
struct Sequence {
  std::string_view identifier;
  std::span<const std::uint8_t> bytes;
  std::uint32_t count = 0;

  class Iterator {
   public:
    using value_type = bson::View;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(const std::uint8_t* at) : at_(at) {}
    bson::View operator*() const { return bson::View::trusted(at_); }
    Iterator& operator++() {
      at_ += bson::View::trusted(at_).size();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const std::uint8_t* at_ = nullptr;
  };
  Iterator begin() const { return Iterator(bytes.data()); }
  Iterator end() const { return Iterator(bytes.data() + bytes.size()); }
};

/// What a client asks, whichever opcode carried it. Everything points into the connection's buffers and stays valid and
/// unmoved until Exchange::consume(). Copying a Request copies the pointers, not the bytes.
struct Request {
  static constexpr std::size_t kMaxSequences = 2;  ///< No command has more, and mongod drops who sends more.

  /// The command: its name is the first field. OP_MSG has the database in `$db`.
  bson::View body;
  std::span<const Sequence> sequences() const { return {slots.data(), sequence_count}; }
  /// The sequence of that name, or nullptr. A command must know every name in sequences(), as it must know every field.
  const Sequence* sequence(std::string_view identifier) const {
    for (const Sequence& one : sequences())
      if (one.identifier == identifier) return &one;
    return nullptr;
  }

  std::int32_t id = 0;
  std::size_t wire_size = 0;             ///< Bytes as received, header included, before inflation.
  bool more_to_come = false;             ///< The client reads no reply.
  bool exhaust_allowed = false;          ///< The client accepts a stream of replies.
  bool checksum = false;                 ///< The client sent a checksum and is sent one.
  std::optional<Compressor> compressor;  ///< What the client used, and is answered with.

  /// OP_QUERY: the hello of a client that does not know yet whom it talks to. The answer is an OP_REPLY.
  bool legacy = false;
  /// The answer is a failed query's, from the days before commands: flag QueryFailure and a field $err.
  bool query_failure = false;
  std::string_view legacy_database;  ///< From OP_QUERY's namespace, which stands where OP_MSG has `$db`.

  std::array<Sequence, kMaxSequences> slots{};
  std::uint32_t sequence_count = 0;
};

}  // namespace partita::wire
