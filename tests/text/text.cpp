// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the cases of .test files to a server and compares what comes back. One file is one conversation.
//
//     text_test                                   # to the server in this process
//     text_test --uri mongodb://127.0.0.1:27017   # to any server; the database "text" is dropped there
//     text_test --oracle                          # to a real mongod: is the expectation right?
//     text_test --sharded value                   # every collection divided by its _id over several partitions: the same
//     text_test --sharded within                  # the same as parts of one logical key
//     text_test --sharded hash                    # the same by its hash: in any order where the case does not ask for one
//     text_test --accept commands/find            # rewrites the answers in these files, for review by diff
//
// Files are named as below tests/, without ".test"; all of commands/ and query/ when none is named.

#include <CLI/CLI.hpp>

#include <cstdio>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/server/oracle_process.h"
#include "tests/support/test_path.h"
#include "tests/text/answer.h"
#include "tests/text/conversation.h"
#include "tests/text/known_differences.h"
#include "tests/text/language_verbs.h"
#include "tests/text/sharded_target.h"

namespace partita::test {
namespace {

constexpr int kSkipped = 77;

struct Options {
  std::string uri;
  bool oracle = false;
  bool accept = false;
  std::string sharded;  ///< "value", "hash", "within" or nothing.
  std::set<std::string> files;
};

struct Tally {
  int passed = 0;
  int failed = 0;
};

/// Whether it is us who answer: only then may an answer differ from MongoDB's, where the list says so.
bool is_partita(Target& target) {
  const auto build = target.run("admin", bson::Document::build([](bson::Writer& w) { w.add("buildInfo", 1); }));
  return build.view().has("partita");
}

class Run {
 public:
  Run(const Options& options, Target& target) : options_(options), target_(target) {
    if (is_partita(target)) known_ = KnownDifferences::read(test_path("text/known_differences.txt"));
    if (!options.sharded.empty()) {
      known_.add(KnownDifferences::read(test_path("text/known_differences_by_" + options.sharded + ".txt")));
    }
  }

  Tally all() {
    for (const std::string folder : {"commands", "query"}) {
      std::map<std::string, std::vector<TestCase>> files;
      for (TestCase& test : read_test_files(test_path(folder))) {
        test.file = folder + "/" + test.file;
        files[test.file].push_back(std::move(test));
      }
      for (auto& [name, cases] : files)
        if (options_.files.empty() || options_.files.contains(name)) converse(name, cases);
    }
    return tally_;
  }

 private:
  void converse(const std::string& name, std::vector<TestCase>& cases) {
    Conversation conversation(target_);
    for (TestCase& test : cases) {
      if (!is_for_servers(test.command)) continue;
      const std::string answer = in_order(test, conversation.answer(test.command));
      if (options_.accept) test.expected = answer;
      else judge(test, answer);
    }
    if (options_.accept) rewrite(name, cases);
  }

  /// Partitions by hash give documents in another order than one, where nobody asks for one.
  std::string in_order(const TestCase& test, const std::string& answer) const {
    if (options_.sharded != "hash" || test.command.find("sort") != std::string::npos) return answer;
    std::vector<std::string> lines;
    std::istringstream in(answer);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::ranges::sort(lines);
    std::string sorted;
    for (const std::string& line : lines) sorted.append(sorted.empty() ? "" : "\n").append(line);
    return sorted;
  }

  void judge(const TestCase& test, const std::string& answer) {
    const std::string expected = in_order(test, normalize_lines(expand(test.expected)));
    const KnownDifferences::Difference* known = known_.find(test);
    const std::string ours = known == nullptr ? expected : in_order(test, normalize_lines(expand(known->answer)));
    const bool stale = known != nullptr && answer == expected;
    if (answer == ours && !stale) {
      ++tally_.passed;
      if (known != nullptr) std::printf("known   %s:%d: %s\n", test.file.c_str(), test.line, known->reason.c_str());
      return;
    }
    ++tally_.failed;
    std::printf("failed  %s:%d\n  sent      %s\n  expected  %s\n  answered  %s\n", test.file.c_str(), test.line,
                shown(test.command).c_str(), shown(ours).c_str(), shown(answer).c_str());
    if (stale) std::printf("  This is MongoDB's answer now: take it off the list of known differences.\n");
  }

  static std::string shown(const std::string& text) {
    constexpr std::size_t kEnough = 1500;
    std::string out;
    for (const char c : text.substr(0, kEnough)) out.append(c == '\n' ? "\n            " : std::string(1, c));
    return out;
  }

  static void rewrite(const std::string& name, const std::vector<TestCase>& cases) {
    const std::string path = test_path(name + ".test");
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(path) << with_answers(text, cases);
  }

  const Options& options_;
  Target& target_;
  KnownDifferences known_;
  Tally tally_;
};

int run(const Options& options) {
  std::unique_ptr<OracleProcess> oracle;
  if (options.oracle) {
    std::string why_not;
    oracle = OracleProcess::start("--replset --cache-gb 0.25", why_not);
    if (oracle == nullptr) {
      std::printf("skipped: %s\n", why_not.c_str());
      return kSkipped;
    }
  }
  const std::string uri = oracle == nullptr ? options.uri : oracle->uri();
  std::unique_ptr<Target> target = uri.empty() ? make_in_process_target() : make_uri_target(uri);
  if (!options.sharded.empty()) target = make_sharded_target(std::move(target), options.sharded);
  const Tally tally = Run(options, *target).all();
  std::printf("%d passed, %d failed\n", tally.passed, tally.failed);
  return tally.failed == 0 && (tally.passed > 0 || options.accept) ? 0 : 1;
}

}  // namespace
}  // namespace partita::test

int main(int argc, char** argv) {
  partita::test::Options options;
  CLI::App app("Puts .test files to a server.", "text_test");
  auto* uri = app.add_option("--uri", options.uri, "A server to speak to, instead of the one in this process");
  app.add_flag("--oracle", options.oracle, "Speak to a real mongod, started for it")->excludes(uri);
  app.add_flag("--accept", options.accept, "Rewrite the answers in the files");
  app.add_option("--sharded", options.sharded, "Divide every collection, by the value of its _id, by the hash of that, or within one key")
      ->check(CLI::IsMember({"value", "hash", "within"}));
  app.add_option("files", options.files, "Files, as commands/find");
  CLI11_PARSE(app, argc, argv);
  try {
    return partita::test::run(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "text_test: %s\n", problem.what());
    return 1;
  }
}
