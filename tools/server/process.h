// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "shards/storage/fatal.h"
#include "wire/error/status.h"

namespace partita::server {

/// What the process ends with: mongod's numbers, for scripts look at them.
enum ExitCode : int {
  kClean = 0,
  kBadOptions = 2,
  kAbrupt = shards::kAbruptExit,  ///< Ended without closing the store in order; the next start recovers.
  kNetError = 48,
  kForkFailed = 50,
  kStartFailed = 100,
};

/// The way to the background (--fork): the process that was started waits, and ends with success once the server
/// listens or with the server's own exit code, so that whoever started it knows. To be made before any thread.
class Background {
 public:
  /// Returns in the child, if `wanted`, otherwise at once in the same process.
  explicit Background(bool wanted);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  /// Lets the parent go. Does nothing in the foreground.
  void ready();
  /// What the parent shall say when this process ends without having been ready: its own standard error leads nowhere.
  void failed(std::string_view why);

 private:
  int to_parent_ = -1;
};

/// Holds our process id while it exists; without a path there is none. A file that is another process's by then stays.
class PidFile {
 public:
  static Result<PidFile> write(const std::string& path);
  PidFile(PidFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  ~PidFile();

 private:
  explicit PidFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Raises the soft limit of descriptors to the hard one, which is what a server may have anyway. Returns the limit.
std::uint64_t raise_descriptor_limit();

/// Signals that ask for something, taken in order and outside of signal handlers.
class Signals {
 public:
  /// Blocks them for this thread and for those that it starts: to be made before any thread.
  Signals();
  /// Sleeps until one of them comes: SIGTERM, SIGINT and SIGHUP ask to stop, SIGUSR1 for a new log file.
  int wait();
  /// From now on a signal to stop ends the process where it stands.
  void let_the_next_one_kill();
};

}  // namespace partita::server
