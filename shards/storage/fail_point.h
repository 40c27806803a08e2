// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string_view>
#include <vector>

#include "wire/bson/document.h"

namespace partita::shards {

/// A named place at which tests make the server fail. Defined where it is used, with static lifetime:
///
///     FailPoint before_commit{"storageBeforeCommit", "After the log record has been put, before the commit."};
///     ...
///     CHECK_OK(before_commit.hit());
///
/// Switched on by configureFailPoint; while it is off, passing costs one relaxed load. Any thread may use it.
class FailPoint {
 public:
  enum class Mode : std::uint8_t { kOff, kAlways, kTimes, kSkip, kSometimes };
  struct Setting {
    Mode mode = Mode::kOff;
    std::int64_t count = 0;     ///< kTimes: how often it fires before it is off; kSkip: how often it does not, at first.
    double probability = 0;     ///< kSometimes.
    bson::Document data;        ///< What shall happen: see hit(), or whoever calls fire().
  };

  FailPoint(std::string_view name, std::string_view help);
  FailPoint(const FailPoint&) = delete;
  FailPoint& operator=(const FailPoint&) = delete;

  std::string_view name() const { return name_; }
  std::string_view help() const { return help_; }

  bool armed() const { return armed_.load(std::memory_order_relaxed); }

  /// For steps inside storage. The data may say, each by itself or together and in this order: {blockTimeMS: n} sleeps,
  /// {abort: true} kills the process as kill -9 does, {errorCode: n} fails.
  Status hit() { return armed() ? act() : Status(); }
  /// The same for a step that cannot fail any more, because what comes before it is in the log: it sleeps or dies.
  void pass() {
    if (armed()) [[unlikely]] (void)act().ok();
  }

  /// For who knows better what to do: the data, when it is on, `applies` to what is at hand (that is not counted
  /// otherwise) and the mode says that it is time; nullptr in all other cases.
  std::shared_ptr<const bson::Document> fire(const std::function<bool(bson::View data)>& applies = {});

  void set(Setting setting);
  /// How often it has fired since the start of the process.
  std::int64_t fired() const { return fired_.load(std::memory_order_relaxed); }

  /// nullptr when there is none of that name.
  static FailPoint* find(std::string_view name);
  static const std::vector<FailPoint*>& all();

 private:
  Status act();
  bool is_time();

  const std::string_view name_;
  const std::string_view help_;
  std::atomic<bool> armed_{false};
  std::atomic<std::int64_t> fired_{0};

  std::mutex mutex_;
  Mode mode_ = Mode::kOff;
  std::int64_t count_ = 0;
  double probability_ = 0;
  std::mt19937_64 engine_;
  std::shared_ptr<const bson::Document> data_;
};

}  // namespace partita::shards
