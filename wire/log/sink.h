// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "wire/error/status.h"

namespace partita::log {

/// Where spdlog's thread puts lines: a file descriptor, one write a line. Unbuffered, since the thread behind it is
/// nobody's hot path, and so that a crash loses nothing that it had taken.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// Standard output.
  DescriptorSink() = default;
  ~DescriptorSink() override;

  /// Writes to this file from now on, at its end.
  Status open(const std::string& path);
  /// Opens the same path anew: another file if the first has been moved.
  Status reopen();
  /// Moves what is there aside, to path.<time>, and begins a new file. There may be a file of that name already, for
  /// names tell seconds: then this is refused, or takes the other's place.
  enum class IfThere : std::uint8_t { kRefuse, kReplace };
  Status rename_and_reopen(IfThere if_there = IfThere::kRefuse);
  std::int64_t failed() const { return failed_.load(std::memory_order_relaxed); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  Status switch_to(const std::string& path);

  std::string path_;
  int descriptor_ = 1;
  std::string line_;
  std::atomic<std::int64_t> failed_{0};
};

}  // namespace partita::log
