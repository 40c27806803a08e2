// SPDX-License-Identifier: GPL-3.0-or-later
//
// The crash test. Round after round, clients write and note down, outside the database, what was acknowledged; the
// server is killed with -9 at a random moment, started again (and, now and then, killed while it recovers), and must
// then hold everything acknowledged, nothing half-written, and the same answer from scan, index and count. Statements
// are sent again with their transaction numbers and must take effect once.
//
//     crash_test --server build/release/partitad --rounds 50
//     crash_test --server "$(tools/oracle path)" --replset --no-count --rounds 10
//
// Timing decides what happens in a round, so a seed repeats the choices and not the outcome. When a round fails, its
// directory stays: data, the server's log, and a ledger per client.

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <thread>

#include "tests/crash/catalog_writer.h"
#include "tests/crash/inspect.h"
#include "tests/crash/writer.h"
#include "tests/power/power_cut.h"
#include "tests/server/server_process.h"

namespace partita::crash {
namespace {

using client::Problem;
using std::chrono::milliseconds;

struct Options {
  std::string server;
  std::vector<std::string> arguments;
  std::filesystem::path directory;
  std::uint64_t seed = std::random_device{}();
  int rounds = 50;
  int writers = 6;
  int longest_ms = 1500;
  WriterOptions writer;
  bool replset = false;
  bool indexes = true;
  bool count = true;
  bool power_cut = false;
  bool sharded = false;
};

class CrashTest {
 public:
  explicit CrashTest(const Options& options)
      : options_(options), random_(options.seed), server_(options.server, options.directory, options.arguments) {
    if (options.power_cut) power_.emplace(options.directory);
  }

  Problem run() {
    if (Problem failed = begin()) return failed;
    for (round_ = 1; round_ <= options_.rounds; ++round_) {
      if (Problem failed = live_and_die()) return failed;
      if (Problem failed = recover()) return failed;
      if (Problem failed = verify()) return failed;
      report();
    }
    if (Problem failed = settle()) return failed;  // Now nothing is open any more, so nothing may be excused.
    if (Problem failed = verify()) return failed;
    return server_.stop(std::chrono::seconds(60));
  }

  int round() const { return round_; }

 private:
  Problem begin() {
    if (Problem failed = server_.launch()) return failed;
    if (Problem failed = server_.wait_ready()) return failed;
    const client::Client client(mongoc_client_new(server_.uri().c_str()));
    if (options_.replset) {
      const client::Bson initiate(BCON_NEW("replSetInitiate", "{", "}"));
      client::Reply reply;
      if (Problem failed = client::run(client.get(), "admin", initiate.get(), reply)) return failed;
      if (Problem failed = server_.wait_ready()) return failed;
    }
    for (int i = 0; i < options_.writers; ++i)
      writers_.push_back(std::make_unique<Writer>(i, server_.uri(), options_.directory, random_(), options_.writer));
    catalog_ = std::make_unique<CatalogWriter>(server_.uri(), options_.directory, random_(), options_.indexes,
                                               options_.writer.write_concern);
    return create_rows(client.get(), options_.indexes, options_.sharded);
  }

  /// Everybody works until the server is killed under them.
  Problem live_and_die() {
    if (Problem failed = settle()) return failed;
    std::vector<Problem> problems(writers_.size() + 1);
    Problem ended;
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < writers_.size(); ++i)
        threads.emplace_back([this, i, &problems] { problems[i] = writers_[i]->work(); });
      threads.emplace_back([this, &problems] { problems.back() = catalog_->work(); });
      std::this_thread::sleep_for(up_to(options_.longest_ms));
      std::jthread checkpoint;
      if (below(2) == 0) {
        checkpoint = std::jthread([this] { ask_for_checkpoint(); });
        // Some kills fall into the checkpoint, where files are in the middle of changing, others behind it.
        std::this_thread::sleep_for(up_to(below(2) == 0 ? 50 : 1000));
      }
      ended = server_.check_alive();
      server_.kill();
    }
    if (ended) return ended;
    if (Problem failed = cut_power()) return failed;
    for (Problem& problem : problems)
      if (problem) return std::move(problem);
    return std::nullopt;
  }

  Problem recover() {
    while (below(3) == 0) {
      if (Problem failed = server_.launch()) return failed;
      std::this_thread::sleep_for(up_to(static_cast<int>(server_.last_start().count())));
      if (Problem failed = server_.check_alive()) return "while recovering: " + *failed;
      server_.kill();
      if (Problem failed = cut_power()) return failed;
      ++killed_recoveries_;
    }
    if (Problem failed = server_.launch()) return failed;
    return server_.wait_ready();
  }

  /// What the killed server had not synced goes too.
  Problem cut_power() { return power_ ? power_->cut() : std::nullopt; }

  Problem verify() {
    const client::Client client(mongoc_client_new(server_.uri().c_str()));
    Snapshot snapshot;
    if (Problem failed = take_snapshot(client.get(), options_.indexes, options_.sharded, snapshot)) return failed;
    if (!options_.count) snapshot.counted = static_cast<std::int64_t>(snapshot.scanned.size());
    documents_ = snapshot.scanned.size();
    std::vector<const Model*> models;
    for (const auto& writer : writers_) models.push_back(&writer->model());
    const std::vector<std::string> wrong = findings(models, std::move(snapshot));
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < wrong.size() && i < kShown; ++i) std::printf("  %s\n", wrong[i].c_str());
    if (!wrong.empty()) return std::to_string(wrong.size()) + " findings";
    return catalog_->verify();
  }

  Problem settle() {
    for (const auto& writer : writers_)
      if (Problem failed = writer->settle()) return failed;
    return std::nullopt;
  }

  /// A server without the command is killed at other moments; that is no failure.
  void ask_for_checkpoint() {
    const client::Client client(mongoc_client_new(server_.uri().c_str()));
    const client::Bson fsync(BCON_NEW("fsync", BCON_INT32(1)));
    client::Reply reply;
    client::run(client.get(), "admin", fsync.get(), reply);
  }

  void report() const {
    std::int64_t acknowledged = catalog_->acknowledged();
    for (const auto& writer : writers_) acknowledged += writer->acknowledged();
    std::printf(
        "round %d of %d: %lld statements acknowledged so far, %zu documents, recovery %lld ms, killed %d times\n",
        round_, options_.rounds, static_cast<long long>(acknowledged), documents_,
        static_cast<long long>(server_.last_start().count()), killed_recoveries_);
    std::fflush(stdout);
  }

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  milliseconds up_to(int most_ms) { return milliseconds(below(most_ms + 1)); }

  const Options& options_;
  std::mt19937_64 random_;
  std::optional<power::PowerCut> power_;
  test::ServerProcess server_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::unique_ptr<CatalogWriter> catalog_;
  int round_ = 0;
  int killed_recoveries_ = 0;
  std::size_t documents_ = 0;
};

std::filesystem::path fresh_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "partita-crash-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::perror("mkdtemp"), std::exit(1);
  return name;
}

/// For CLI11: the empty text when all is well.
std::string is_json(const std::string& text) {
  bson_error_t error;
  const client::Bson parsed(bson_new_from_json(reinterpret_cast<const std::uint8_t*>(text.data()), -1, &error));
  return parsed ? "" : error.message;
}

int run(const Options& options) {
  std::printf("seed %llu, in %s\n", static_cast<unsigned long long>(options.seed), options.directory.c_str());
  CrashTest test(options);
  if (Problem failed = test.run()) {
    std::printf("FAILED in round %d, seed %llu: %s\n", test.round(), static_cast<unsigned long long>(options.seed),
                failed->c_str());
    return 1;
  }
  std::printf("PASSED: %d rounds\n", options.rounds);
  return 0;
}

}  // namespace
}  // namespace partita::crash

int main(int argc, char** argv) {
  partita::crash::Options options;
  CLI::App app{"Kills a server again and again and checks what it still knows."};
  app.add_option("--server", options.server, "the program to start")->required()->check(CLI::ExistingFile);
  app.add_option("--server-argument", options.arguments, "passed on to it; once per word")->take_all();
  app.add_option("--directory", options.directory, "for data, log and ledgers; a temporary one when absent");
  app.add_option("--seed", options.seed);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1'000'000));
  app.add_option("--writers", options.writers)->check(CLI::Range(1, 1000));
  app.add_option("--keys", options.writer.keys, "of each writer")->check(CLI::Range(1, 900'000));
  app.add_option("--longest-ms", options.longest_ms, "before a kill")->check(CLI::Range(1, 600'000));
  app.add_option("--write-concern", options.writer.write_concern, "as JSON, for every statement")
      ->check(partita::crash::is_json);
  app.add_flag("--replset", options.replset, "make a mongod a replica set of one first");
  app.add_flag("!--no-indexes", options.indexes, "the server has no secondary indexes");
  app.add_flag("!--no-count", options.count, "the server's count is known to drift after a crash");
  app.add_flag("--sharded", options.sharded, "the rows lie in partitions, which the server splits by its own settings");
  app.add_flag("--power-cut", options.power_cut, "what the server has not synced is lost as well; wants a write concern");
  CLI11_PARSE(app, argc, argv);
  const bool temporary = options.directory.empty();
  if (temporary) options.directory = partita::crash::fresh_directory();
  if (options.replset) options.arguments.insert(options.arguments.end(), {"--replSet", "rs0"});
  mongoc_init();
  mongoc_log_set_handler(nullptr, nullptr);  // That connections break is the point.
  const int result = partita::crash::run(options);
  if (result == 0 && temporary) std::filesystem::remove_all(options.directory);
  mongoc_cleanup();
  return result;
}
