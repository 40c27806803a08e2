// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "query/sort/run_file.h"
#include "wire/error/status.h"

namespace partita::query {

/// What the stages of one running pipeline share: an account of the memory that they hold together, and a way to be told
/// to stop. Each stage has limits of its own, but a pipeline may have a thousand stages with a copy of the same large
/// document each, and a few $unwind make billions of rows of one. One thread at a time.
class RunControl {
 public:
  static constexpr std::size_t kMemoryLimit = std::size_t{256} << 20;
  /// What pipelines hold that run side by side for one query: the limit is theirs together.
  using Shared = std::shared_ptr<std::atomic<std::size_t>>;

  RunControl() = default;
  explicit RunControl(Shared shared) : shared_(std::move(shared)) {}

  /// A stage that held `held` bytes holds `now`. Fails when all of them hold too much.
  Status change(std::size_t& held, std::size_t now) {
    used_ += now - held;  // May wrap round in between, and comes out right.
    const std::size_t all = shared_ == nullptr ? used_ : shared_->fetch_add(now - held) + (now - held);
    held = now;
    if (all <= kMemoryLimit) [[likely]] return {};
    return error(Code::ExceededMemoryLimit, "The stages of the pipeline hold more than ", kMemoryLimit, " bytes together");
  }
  std::size_t used() const { return used_; }

  /// Where stages may put what does not fit into memory, and how much of it each of them may hold first; without files it
  /// is an error then.
  struct Spilling {
    RunFiles* files = nullptr;
    std::size_t memory = std::size_t{100} << 20;
  };
  void allow_spilling(Spilling spilling) { spilling_ = spilling; }
  const Spilling& spilling() const { return spilling_; }

  /// For explain, before the stages run: they measure what they will be asked to tell.
  void tell() { told_ = true; }
  bool is_told() const { return told_; }

  /// Asked between batches, until the next call; it fails when the work shall end. An empty one never does.
  void set_interrupt(std::function<Status()> interrupt) { interrupt_ = std::move(interrupt); }
  Status check_interrupt() const { return interrupt_ ? interrupt_() : Status(); }

 private:
  std::size_t used_ = 0;
  const Shared shared_;
  std::function<Status()> interrupt_;
  Spilling spilling_;
  bool told_ = false;
};

}  // namespace partita::query
