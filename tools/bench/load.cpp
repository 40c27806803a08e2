// SPDX-License-Identifier: GPL-3.0-or-later
//
// The load generator of tools/bench/compare: drives servers that run already, in turns, and prints one line of JSON
// per slice. It starts nothing and judges nothing.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tools/bench/dataset.h"
#include "tools/bench/slice.h"

namespace partita::bench {
namespace {

struct Options {
  std::vector<std::string> servers;
  std::vector<std::string> cases;
  std::vector<int> clients{1, 16, 64};
  double seconds = 3;
  double warm_up_seconds = 0.5;
  int rounds = 3;
  bool load = true;
  bool list = false;
};

std::vector<const Case*> chosen(const std::vector<std::string>& names) {
  std::vector<const Case*> found;
  for (const Case& one : cases())
    if (names.empty() || std::ranges::find(names, one.name) != names.end()) found.push_back(&one);
  for (const std::string& name : names)
    if (std::ranges::find(cases(), name, &Case::name) == cases().end()) give_up("no case named " + name);
  return found;
}

/// Leaves what the slice before has set off (a drop, an eviction) behind it. A server may stay busy: bounded.
void wait_until_quiet(pid_t pid) {
  using namespace std::chrono_literals;
  constexpr double kQuiet = 0.05;  // Of one core.
  for (int tries = 0; tries < 20; ++tries) {
    const double before = cpu_seconds(pid);
    std::this_thread::sleep_for(100ms);
    if (cpu_seconds(pid) - before < 0.1 * kQuiet) return;
  }
}

void drop_inserted(mongoc_client_t* client) {
  const client::Bson drop(BCON_NEW("drop", BCON_UTF8(kInserted)));
  client::Reply reply;
  client::run(client, kDatabase, drop.get(), reply);  // A slice may find nothing to drop.
}

void print(const Case& work, std::size_t clients, const Server& server, int round, const Measured& m) {
  std::printf(
      R"({"case": "%s", "clients": %zu, "server": "%s", "round": %d, "operations": %lld, "documents": %lld, )"
      R"("seconds": %.6f, "server_cpu_seconds": %.6f, "client_cpu_seconds": %.6f, "p50_us": %.1f, "p99_us": %.1f, )"
      R"("rss_mb": %.1f})"
      "\n",
      std::string(work.name).c_str(), clients, server.name.c_str(), round, static_cast<long long>(m.operations),
      static_cast<long long>(m.operations * work.documents_per_operation), m.seconds, m.server_cpu_seconds,
      m.client_cpu_seconds, m.p50_us, m.p99_us, m.rss_mb);
  std::fflush(stdout);
}

/// The crews of the servers that can do this case at all: one trial each. The others are reported and left out.
std::vector<Crew> hire(const std::vector<Server>& servers, const Case& work, int clients) {
  std::vector<Crew> crews;
  for (const Server& server : servers) {
    Crew crew(server, work, clients);
    const client::Problem failed = crew.operations().front()->execute();
    if (failed)
      std::fprintf(stderr, "skipped: %s on %s: %s\n", std::string(work.name).c_str(), server.name.c_str(),
                   failed->c_str());
    else
      crews.push_back(std::move(crew));
  }
  return crews;
}

/// Every round visits every server, and every other round in reverse: what drifts with time hits all alike.
void measure(const std::vector<Server>& servers, const Case& work, int clients, const Options& options) {
  std::vector<Crew> crews = hire(servers, work, clients);
  for (int round = 0; round < options.rounds; ++round) {
    for (Crew& crew : crews) {
      if (work.fills) drop_inserted(connect(crew.server(), false).get());
      wait_until_quiet(crew.server().pid);
      print(work, crew.operations().size(), crew.server(), round,
            run_slice(crew, options.warm_up_seconds, options.seconds));
    }
    std::ranges::reverse(crews);
  }
  for (Crew& crew : crews)
    if (work.fills) drop_inserted(connect(crew.server(), false).get());
}

void prepare(const Server& server, bool partitioned) {
  const client::Client client = connect(server, false);
  if (client::Problem failed = load_documents(client.get(), partitioned)) give_up(server.name + ": " + *failed);
  if (client::Problem failed = build_index(client.get()))
    std::fprintf(stderr, "no secondary index on %s: %s\n", server.name.c_str(), failed->c_str());
}

void run(const Options& options) {
  std::vector<Server> servers;
  for (const std::string& text : options.servers) servers.push_back(parse_server(text));
  const std::vector<const Case*> work = chosen(options.cases);
  if (options.load)
    for (const Server& server : servers) prepare(server, std::ranges::any_of(work, &Case::partitioned));
  for (const Case* one : work)
    for (const int clients : options.clients) measure(servers, *one, clients, options);
}

}  // namespace
}  // namespace partita::bench

int main(int argc, char** argv) {
  partita::bench::Options options;
  CLI::App app{"Drives servers in turns and prints one line of JSON per slice."};
  app.add_option("--server", options.servers, "NAME,PID,URI; once per server")->take_all();
  app.add_option("--cases", options.cases, "cases to run; all when absent")->delimiter(',');
  app.add_option("--clients", options.clients, "numbers of clients")->delimiter(',')->check(CLI::Range(1, 1000));
  app.add_option("--seconds", options.seconds, "length of a slice")->check(CLI::PositiveNumber);
  app.add_option("--warm-up", options.warm_up_seconds, "unmeasured time before a slice");
  app.add_option("--rounds", options.rounds, "slices per case, server and number of clients")
      ->check(CLI::Range(1, 1000));
  app.add_flag("!--no-load", options.load, "the documents are there already");
  app.add_flag("--list", options.list, "print the cases as lines of JSON and end");
  CLI11_PARSE(app, argc, argv);
  if (options.list) {
    for (const partita::bench::Case& one : partita::bench::cases())
      std::printf(R"({"name": "%s", "title": "%s", "retryable": %s})"
                  "\n",
                  std::string(one.name).c_str(), std::string(one.title).c_str(), one.retryable ? "true" : "false");
    return 0;
  }
  mongoc_init();
  partita::bench::run(options);
  mongoc_cleanup();
  return 0;
}
