// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/server/oracle_process.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace partita::test {
namespace {

constexpr std::string_view kScheme = "mongodb://";

/// What the tool prints, and its exit code.
std::pair<std::string, int> call_tool(const std::string& arguments) {
  const std::string command = std::string(PARTITA_ORACLE_TOOL) + " " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  std::string printed;
  std::array<char, 256> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) printed.append(chunk.data(), count);
  return {printed, WEXITSTATUS(pclose(pipe))};
}

}  // namespace

std::unique_ptr<OracleProcess> OracleProcess::start(const std::string& options, std::string& why_not) {
  const auto [printed, exit_code] = call_tool("start " + options);
  if (exit_code != 0) {
    why_not = printed;
    return nullptr;
  }
  const std::string line = printed.substr(printed.rfind(kScheme));  // Fetching it has something to say first.
  return std::unique_ptr<OracleProcess>(new OracleProcess(line.substr(0, line.find(' '))));
}

OracleProcess::~OracleProcess() {
  const std::size_t port = uri_.find(':', kScheme.size()) + 1;
  call_tool("stop --port " + uri_.substr(port, uri_.find('/', port) - port));
}

}  // namespace partita::test
