// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/bench/slice.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <thread>

namespace partita::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double clock_seconds(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double resident_mb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Every latency is kept: 4 bytes an operation buy exact percentiles. They are for one slice and some seconds.
using Latencies = std::vector<float>;

void work(Operation& operation, std::latch& start, double seconds, Latencies& latencies_us) {
  start.arrive_and_wait();
  const Clock::time_point begin = Clock::now();
  for (Clock::time_point before = begin;;) {
    if (client::Problem failed = operation.execute()) give_up(*failed);
    const Clock::time_point after = Clock::now();
    latencies_us.push_back(static_cast<float>(seconds_between(before, after) * 1e6));
    if (seconds_between(begin, after) >= seconds) return;
    before = after;
  }
}

/// All clients work for `seconds` and each ends what it has begun; the latencies of all, in no order.
Latencies run_phase(std::vector<std::unique_ptr<Operation>>& operations, double seconds) {
  std::latch start(static_cast<std::ptrdiff_t>(operations.size()));
  std::vector<Latencies> latencies(operations.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < operations.size(); ++i)
    threads.emplace_back([&, i] { work(*operations[i], start, seconds, latencies[i]); });
  threads.clear();  // Joins.
  Latencies all;
  for (const Latencies& one : latencies) all.insert(all.end(), one.begin(), one.end());
  return all;
}

double percentile(Latencies& latencies, double share) {
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(latencies.size() - 1));
  std::nth_element(latencies.begin(), latencies.begin() + rank, latencies.end());
  return latencies[static_cast<std::size_t>(rank)];
}

}  // namespace

Server parse_server(const std::string& text) {
  const std::size_t first = text.find(',');
  const std::size_t second = text.find(',', first + 1);
  if (second == std::string::npos) give_up("--server takes NAME,PID,URI, not " + text);
  return {text.substr(0, first), std::atoi(text.substr(first + 1, second - first - 1).c_str()),
          text.substr(second + 1)};
}

void give_up(const std::string& what) {
  std::fprintf(stderr, "load: %s\n", what.c_str());
  std::fflush(nullptr);
  std::_Exit(1);  // Other threads are in the middle of their work; unwinding them would only hide the message.
}

double cpu_seconds(pid_t pid) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) give_up("no process " + std::to_string(pid));
  return clock_seconds(clock);
}

client::Client connect(const Server& server, bool retryable) {
  const client::Uri uri(mongoc_uri_new(server.uri.c_str()));
  if (!uri) give_up("not a connection string: " + server.uri);
  mongoc_uri_set_option_as_bool(uri.get(), MONGOC_URI_RETRYWRITES, retryable);
  // The driver's inline health checks would show up as slow operations, and as CPU time of the server.
  constexpr int kNever_ms = 3'600'000;
  mongoc_uri_set_option_as_int32(uri.get(), MONGOC_URI_HEARTBEATFREQUENCYMS, kNever_ms);
  mongoc_uri_set_option_as_int32(uri.get(), MONGOC_URI_SOCKETCHECKINTERVALMS, kNever_ms);
  client::Client connected(mongoc_client_new_from_uri(uri.get()));
  mongoc_client_set_error_api(connected.get(), MONGOC_ERROR_API_VERSION_2);
  return connected;
}

Crew::Crew(const Server& server, const Case& work, int clients) : server_(&server) {
  const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  for (int i = 0; i < clients; ++i) {
    clients_.push_back(connect(server, work.retryable));
    const std::uint64_t stream = now + (static_cast<std::uint64_t>(i) << 40);
    operations_.push_back(work.make({.client = clients_.back().get(), .random = stream, .index = i}));
  }
}

Crew::~Crew() = default;

Measured run_slice(Crew& crew, double warm_up_seconds, double seconds) {
  run_phase(crew.operations(), warm_up_seconds);
  Measured measured;
  const double server_before = cpu_seconds(crew.server().pid);
  const double client_before = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const Clock::time_point begin = Clock::now();
  Latencies latencies = run_phase(crew.operations(), seconds);
  measured.seconds = seconds_between(begin, Clock::now());
  measured.client_cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - client_before;
  measured.server_cpu_seconds = cpu_seconds(crew.server().pid) - server_before;
  measured.operations = static_cast<std::int64_t>(latencies.size());
  measured.p50_us = percentile(latencies, 0.50);
  measured.p99_us = percentile(latencies, 0.99);
  measured.rss_mb = resident_mb(crew.server().pid);
  return measured;
}

}  // namespace partita::bench
