// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/log/record.h"

namespace partita::shards {

/// Where a byte stands in the log, over all of its files; it only grows.
using Place = std::uint64_t;

/// What surrounds a record in a file of the log: 32 bytes, the record, zeros up to a multiple of eight. Little-endian:
///
///      0  size of the record        8  settled: see below      24  tag: XXH3 of the 24 bytes and the frame's place,
///      4  room of the whole frame  16  synced: see below           seeded with the file's salt
///
/// A frame without a record fills a hole. Writers run in parallel, so a crash may leave holes of zeros or half a frame; where
/// a later frame begins is found by its tag, which nobody can forge who writes documents, for the salt is never shown.
struct Frame {
  static constexpr std::size_t kHeaderSize = 32;
  static constexpr std::size_t kAlignment = 8;

  std::uint32_t size = 0;
  std::uint32_t room = 0;
  /// Everything before this place was written and settled when this frame was written. So a hole before it is no write that
  /// was under way, but something that has been lost.
  Place settled = 0;
  /// Everything before this place was on the disk. So a hole before it is damage, and not the work of a power cut.
  Place synced = 0;

  using Header = std::array<std::uint8_t, kHeaderSize>;
  Header encode(Place at, std::uint64_t salt) const;
  /// What a header says that stands at `at`; nullopt where none does, or the frame would not end within `left` bytes.
  static std::optional<Frame> decode(Bytes header, Place at, std::uint64_t salt, std::uint64_t left);

  static std::uint32_t room_for(std::size_t record) {
    return static_cast<std::uint32_t>((kHeaderSize + record + kAlignment - 1) / kAlignment * kAlignment);
  }
};

/// The first 128 bytes of a file of the log, little-endian:
///
///      0  magic "PTLOGFIL"        32  next sequence number of the catalog's log    64  boot
///      8  version = 1             40  of the data log                              72  size
///     16  place of its first byte 48  epoch of the catalog's log
///     24  salt                    56  of the data log                             120  XXH3 of all before
struct FileHeader {
  static constexpr std::size_t kSize = 128;
  static constexpr std::size_t kLogs = 2;

  Place base = 0;
  std::uint64_t salt = 0;
  std::array<Sequence, kLogs> next{1, 1};  ///< Numbers of the first records that can be in this file.
  std::array<Epoch, kLogs> epochs{};       ///< Of the last ones before it.
  /// Tells one run of the machine from the next: since then there has been no power cut, or there may have been.
  std::uint64_t boot = 0;
  std::uint64_t size = 0;  ///< Of the file, when it was made.

  using Encoded = std::array<std::uint8_t, kSize>;
  Encoded encode() const;
  /// nullopt where there is none; an error where it is of another version.
  static Result<std::optional<FileHeader>> decode(Bytes bytes);
};

}  // namespace partita::shards
