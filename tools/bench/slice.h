// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/bench/cases.h"

namespace partita::bench {

/// A server under load: the process whose CPU time and memory are read, and where it listens.
struct Server {
  std::string name;
  pid_t pid;
  std::string uri;
};

/// NAME,PID,URI; the URI may hold commas of its own.
Server parse_server(const std::string& text);

/// Clients of one server for one case, each with a connection and an operation of its own. They outlive a slice, so
/// that alternating between servers costs no connects.
class Crew {
 public:
  Crew(const Server& server, const Case& work, int clients);
  ~Crew();
  Crew(Crew&&) = default;
  Crew& operator=(Crew&&) = default;

  const Server& server() const { return *server_; }
  std::vector<std::unique_ptr<Operation>>& operations() { return operations_; }

 private:
  const Server* server_;
  std::vector<client::Client> clients_;
  std::vector<std::unique_ptr<Operation>> operations_;  // Each uses one of clients_, so is destroyed first.
};

struct Measured {
  std::int64_t operations = 0;
  double seconds = 0;
  double server_cpu_seconds = 0;
  double client_cpu_seconds = 0;
  double p50_us = 0;
  double p99_us = 0;
  double rss_mb = 0;
};

/// A connected client with the settings of this benchmark. The URI must be valid; ends the program otherwise.
client::Client connect(const Server& server, bool retryable);

/// CPU time that a process and its ended threads have used, by the kernel's own accounting in nanoseconds.
double cpu_seconds(pid_t pid);

/// Lets the crew work for a time, one thread per client, and accounts for it exactly: CPU time is read while no
/// operation is under way, before the first and after the last, so that long operations are never cut in two.
/// A Problem of any client ends the program: figures of a server that answers wrongly mean nothing.
Measured run_slice(Crew& crew, double warm_up_seconds, double seconds);

[[noreturn]] void give_up(const std::string& what);

}  // namespace partita::bench
