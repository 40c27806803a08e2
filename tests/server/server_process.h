// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/client/mongo.h"

namespace partita::test {

/// A server that is started, killed and started again on the same data. Used by one thread at a time.
/// Killed with -9 when destroyed.
class ServerProcess {
 public:
  /// `arguments` are added to the data path, port and address.
  ServerProcess(std::string binary, std::filesystem::path directory, std::vector<std::string> arguments);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& uri() const { return uri_; }
  int port() const { return port_; }

  /// Launches the program and returns at once, before it can be talked to.
  client::Problem launch();
  /// Waits until it takes writes; a Problem when it ends by itself or stays silent.
  client::Problem wait_ready();
  /// A Problem when it has ended although nobody asked it to.
  client::Problem check_alive();
  /// SIGKILL, and waits until it is gone.
  void kill();
  /// SIGTERM; a Problem unless it ends in time and with exit code 0.
  client::Problem stop(std::chrono::seconds limit);

  /// How long the last start took that ended in a ready server: kills during recovery aim within it.
  std::chrono::milliseconds last_start() const { return last_start_; }

 private:
  bool reap(bool wait);

  std::string binary_;
  std::filesystem::path directory_;
  std::vector<std::string> arguments_;
  int port_;
  std::string uri_;
  pid_t pid_ = -1;
  int status_ = 0;
  std::chrono::steady_clock::time_point launched_;
  std::chrono::milliseconds last_start_{500};
};

}  // namespace partita::test
