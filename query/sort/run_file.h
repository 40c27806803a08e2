// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "wire/error/status.h"

namespace partita::query {

/// Bytes that memory has no room for: written once from front to back, then read from anywhere. Gone with the object.
class RunFile {
 public:
  virtual ~RunFile() = default;
  virtual Status append(std::span<const std::uint8_t> bytes) = 0;
  /// Fills `room` with what lies from `offset` on; all of that has been appended.
  virtual Status read(std::uint64_t offset, std::span<std::uint8_t> room) = 0;
};

/// Where such files can be had. Any thread.
class RunFiles {
 public:
  virtual ~RunFiles() = default;
  virtual Result<std::unique_ptr<RunFile>> open() = 0;
};

}  // namespace partita::query
