// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <vector>

#include "query/sort/run_file.h"

namespace partita::test {

/// Files of a sort in memory, which count, and fail when they are told to.
class MemoryRunFiles final : public query::RunFiles {
 public:
  Result<std::unique_ptr<query::RunFile>> open() override {
    ++opened;
    return std::make_unique<File>(*this);
  }

  std::size_t opened = 0;
  std::size_t open_now = 0;
  std::size_t written = 0;
  std::size_t room = SIZE_MAX;  ///< Of all files together.

 private:
  class File final : public query::RunFile {
   public:
    explicit File(MemoryRunFiles& files) : files_(files) { ++files_.open_now; }
    ~File() override { --files_.open_now; }
    Status append(std::span<const std::uint8_t> bytes) override {
      files_.written += bytes.size();
      if (files_.written > files_.room) return error(Code::OutOfDiskSpace, "no room");
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return {};
    }
    Status read(std::uint64_t offset, std::span<std::uint8_t> room) override {
      if (offset + room.size() > bytes_.size()) return error(Code::InternalError, "read behind the end");
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), room.size(), room.begin());
      return {};
    }

   private:
    MemoryRunFiles& files_;
    std::vector<std::uint8_t> bytes_;
  };
};

}  // namespace partita::test
