// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>

#include "commands/profiler/profile_filter.h"
#include "commands/profiler/profile_writer.h"

namespace partita::commands {

/// How a database's operations are profiled.
struct ProfileSettings {
  int level = 0;  ///< 1: those that are slow, or that pass the filter; 2: all.
  std::shared_ptr<const ProfileFilter> filter;  ///< Takes the place of what is slow and of samples, in the log too.
};

/// What profile commands have set, database by database, until the server ends; and the way into system.profile. Thread-safe.
class Profiler {
 public:
  static constexpr std::string_view kCollection = "system.profile";

  explicit Profiler(shards::Store& store) : writer_(store) {}

  /// Before clients are served: the level of databases that have none of their own. Not of the server's own databases.
  void set_default_level(int level);

  /// Whether anything is profiled, or chosen by a filter. One relaxed load: all that operations pay while nothing is.
  bool watches() const { return watches_.load(std::memory_order_relaxed); }
  ProfileSettings settings(std::string_view db) const;
  void set(std::string_view db, ProfileSettings settings);
  /// The database is gone, and what was set with it.
  void forget(std::string_view db);

  /// An operation of that database has ended. `document` makes what would be kept of it, and is asked only where that is
  /// wanted. True where the log shall have it too.
  bool offer(std::string_view db, std::chrono::steady_clock::duration took, const std::function<bson::Document()>& document);

  ProfileWriter& writer() { return writer_; }

 private:
  ProfileSettings default_of(std::string_view db) const;
  void look();

  std::atomic<bool> watches_{false};
  mutable std::shared_mutex mutex_;
  int default_level_ = 0;
  std::map<std::string, ProfileSettings, std::less<>> by_database_;  ///< Those that are not as by default.
  ProfileWriter writer_;
};

}  // namespace partita::commands
