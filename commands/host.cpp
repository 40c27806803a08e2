// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/host.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace partita::commands {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

/// Splits "key<spaces>: value" lines; false when there is no colon.
bool split_colon(const std::string& line, std::string_view& key, std::string_view& value) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return false;
  const std::string_view whole = line;
  key = whole.substr(0, colon);
  while (!key.empty() && (key.back() == ' ' || key.back() == '\t')) key.remove_suffix(1);
  value = whole.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  return true;
}

std::int64_t leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void read_memory(Machine& machine) {
  std::ifstream file("/proc/meminfo");
  std::string_view key;
  std::string_view value;
  for (std::string line; std::getline(file, line);) {
    if (split_colon(line, key, value) && key == "MemTotal") machine.memory_mb = leading_number(value) / 1024;
  }
  machine.memory_limit_mb = machine.memory_mb;
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  if (std::string line; std::getline(limit, line)) {  // "max" reads as 0: no limit.
    const std::int64_t mb = leading_number(line) / kMegabyte;
    if (mb > 0 && mb < machine.memory_mb) machine.memory_limit_mb = mb;
  }
}

void read_processors(Machine& machine) {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  std::string socket;
  std::string_view key;
  std::string_view value;
  for (std::string line; std::getline(file, line);) {
    if (!split_colon(line, key, value)) continue;
    if (key == "physical id") {
      socket = value;
      sockets.insert(socket);
    } else if (key == "core id") {
      cores.emplace(socket, std::string(value));
    } else if (key == "cpu MHz") {
      machine.cpu_frequency_mhz = value;
    } else if (key == "flags") {
      machine.cpu_features = value;
    }
  }
  machine.logical_cores = static_cast<int>(std::thread::hardware_concurrency());
  machine.physical_cores = cores.empty() ? machine.logical_cores : static_cast<int>(cores.size());
  machine.sockets = sockets.empty() ? 1 : static_cast<int>(sockets.size());
}

int count_numa_nodes() {
  int nodes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9') ++nodes;
  }
  return nodes == 0 ? 1 : nodes;
}

void read_system(Machine& machine) {
  utsname system{};
  if (uname(&system) == 0) {
    machine.architecture = system.machine;
    machine.kernel_release = system.release;
    machine.kernel_version = system.version;
  }
  std::ifstream file("/etc/os-release");
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    machine.distribution = line.substr(kKey.size());
    std::erase(machine.distribution, '"');
  }
}

std::string ask_host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

const std::string& host_name() {
  static const std::string name = ask_host_name();
  return name;
}

std::string host_and_port(int port) { return port == 0 ? host_name() : host_name() + ":" + std::to_string(port); }

Machine Machine::read() {
  Machine machine;
  read_memory(machine);
  read_processors(machine);
  read_system(machine);
  machine.numa_nodes = count_numa_nodes();
  return machine;
}

ProcessMemory ProcessMemory::read() {
  std::ifstream file("/proc/self/statm");
  std::int64_t virtual_pages = 0;
  std::int64_t resident_pages = 0;
  file >> virtual_pages >> resident_pages;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return {resident_pages * page / kMegabyte, virtual_pages * page / kMegabyte};
}

FileSystem FileSystem::of(const std::string& path) {
  struct statvfs system {};
  if (statvfs(path.c_str(), &system) != 0) return {};
  const auto block = static_cast<std::int64_t>(system.f_frsize);
  const auto total = static_cast<std::int64_t>(system.f_blocks) * block;
  return {total - static_cast<std::int64_t>(system.f_bavail) * block, total};
}

}  // namespace partita::commands
