// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita::commands {

/// The machine's name, as tools show it; asked once.
const std::string& host_name();
/// "name:port"; without the port when it is 0.
std::string host_and_port(int port);

/// What /proc says of the machine. Read anew on each call: a few files, on a worker or for a rare command only.
struct Machine {
  std::int64_t memory_mb = 0;
  std::int64_t memory_limit_mb = 0;  ///< Of the control group, when it is less than the machine has.
  int logical_cores = 0;
  int physical_cores = 0;
  int sockets = 0;
  int numa_nodes = 1;
  std::string architecture;
  std::string distribution;
  std::string kernel_release;
  std::string kernel_version;
  std::string cpu_frequency_mhz;
  std::string cpu_features;

  static Machine read();
};

/// What this process takes of it.
struct ProcessMemory {
  std::int64_t resident_mb = 0;
  std::int64_t virtual_mb = 0;

  static ProcessMemory read();
};

/// Of the file system that holds `path`; zeros when it cannot be asked.
struct FileSystem {
  std::int64_t used_bytes = 0;
  std::int64_t total_bytes = 0;

  static FileSystem of(const std::string& path);
};

}  // namespace partita::commands
