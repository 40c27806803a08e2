// SPDX-License-Identifier: GPL-3.0-or-later
//
// The main program of every fuzz target: GCC brings no libFuzzer.
//
//     fuzz_bson_validate --seconds 60 --corpus tests/fuzz/corpus/bson_validate   # look for new faults
//     fuzz_bson_validate crash-fuzz_bson_validate-1234.bin                       # run saved inputs again
//     fuzz_bson_validate --corpus /tmp/found --distil tests/fuzz/corpus/bson_validate   # the few that reach the most
//
// Inputs are changed, spliced with one another and sprinkled with words from the target's dictionary. Those that reach new
// code are worked on further, and with --keep also written into the corpus. The run prints its seed; on any death the input
// at work is saved first. Seconds come from PARTITA_FUZZ_SECONDS when they are not given.

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>
#include <xxhash.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "tests/fuzz/coverage.h"
#include "tests/fuzz/distil.h"
#include "tests/fuzz/target.h"
#include "tests/support/random_bson.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace partita::test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongest = 64 * 1024;
constexpr int kHungAfterSeconds = 30;

/// What a signal handler needs to know about the input at work.
struct AtWork {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  char file[256] = "";
  std::atomic<std::uint64_t> runs = 0;
} at_work;

void say(std::string_view text) { std::ignore = write(STDERR_FILENO, text.data(), text.size()); }

/// Runs inside signal handlers: plain system calls only.
void save_input() {
  if (at_work.data == nullptr) return;
  const int out = open(at_work.file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (out < 0) return;
  std::ignore = write(out, at_work.data, at_work.size);
  close(out);
  say("input saved: ");
  say(at_work.file);
  say("\n");
}

extern "C" void on_death(int signal) {
  save_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

extern "C" void on_tick(int) {
  static std::uint64_t last_runs = 0;
  static int still = 0;
  still = at_work.runs.load() == last_runs ? still + 1 : 0;
  last_runs = at_work.runs.load();
  if (still < kHungAfterSeconds) return;
  say("one input takes too long\n");
  std::abort();
}

void watch_for_death() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_death_callback(save_input);
  std::signal(SIGABRT, on_death);
#else
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_death);
#endif
  std::signal(SIGALRM, on_tick);
  const itimerval every_second{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every_second, nullptr);
}

/// Runs the target once on bytes of exactly their own size, so that AddressSanitizer guards their end.
/// True when the input has reached something new.
bool run_once(const Bytes& input) {
  const Bytes exact(input.begin(), input.end());
  at_work.data = exact.data();
  at_work.size = exact.size();
  ++at_work.runs;
  coverage_begin();
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  at_work.data = nullptr;
  return coverage_grew();
}

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void write_file(const fs::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// A folder's inputs. Its own order is the file system's; a seed's run must not be.
std::vector<Bytes> read_folder(const fs::path& folder) {
  std::vector<Bytes> inputs;
  if (!fs::is_directory(folder)) return inputs;
  for (const auto& entry : fs::directory_iterator(folder)) inputs.push_back(read_file(entry.path()));
  std::ranges::sort(inputs);
  return inputs;
}

/// Named by what it holds, so that a corpus changes only where its inputs do.
std::string name_of(const Bytes& input) {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(XXH3_64bits(input.data(), input.size())));
  return name;
}

/// Writes the few inputs of `from` that reach the most into `to`, beside what is there.
int distil_folder(const fs::path& from, const fs::path& to) {
  const std::vector<Bytes> inputs = read_folder(from);
  std::vector<Reach> reach;
  for (const Bytes& input : inputs) {
    run_once(input);
    reach.push_back({input.size(), coverage_reached()});
  }
  const std::vector<std::size_t> chosen = distil(reach);
  if (chosen.empty()) return say("nothing to distil, or not the preset `fuzz`, which sees what inputs reach\n"), 1;
  fs::create_directories(to);
  for (const std::size_t i : chosen) write_file(to / name_of(inputs[i]), inputs[i]);
  std::printf("%zu of %zu inputs\n", chosen.size(), inputs.size());
  return 0;
}

class Fuzzer {
 public:
  Fuzzer(std::uint64_t seed, fs::path corpus, bool keep) : random_(seed), folder_(std::move(corpus)), keep_(keep) {
    if (fuzz_dictionary != nullptr) words_ = fuzz_dictionary();
    inputs_ = read_folder(folder_);
    if (fuzz_seeds != nullptr) {
      for (Bytes& input : fuzz_seeds(random_)) inputs_.push_back(std::move(input));
    }
    inputs_.emplace_back();
    for (const Bytes& input : inputs_) run_once(input);
  }

  void run_until(Clock::time_point end) {
    constexpr int kBetweenLooks = 64;  // A look at the clock costs as much as a short run.
    while (Clock::now() < end) {
      for (int i = 0; i < kBetweenLooks; ++i) try_one();
    }
  }

  std::size_t inputs() const { return inputs_.size(); }

 private:
  void try_one() {
    Bytes input = random_.pick(inputs_);
    if (random_.one_in(8)) splice(input);
    if (!words_.empty() && random_.one_in(8)) add_word(input);
    mutate(input, random_);
    if (input.size() > kLongest) input.resize(kLongest);
    if (!run_once(input)) return;
    if (keep_ && !folder_.empty()) write_file(folder_ / name_of(input), input);
    inputs_.push_back(std::move(input));
  }

  /// The beginning of this one, the end of another.
  void splice(Bytes& input) {
    const Bytes& other = random_.pick(inputs_);
    input.resize(random_.below(input.size() + 1));
    input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(random_.below(other.size() + 1)), other.end());
  }

  void add_word(Bytes& input) {
    const std::string_view word = random_.pick(words_);
    const std::size_t at = random_.below(input.size() + 1);
    if (random_.one_in(2)) input.resize(std::max(input.size(), at + word.size()));
    else input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), word.size(), 0);
    std::copy(word.begin(), word.end(), input.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Random random_;
  fs::path folder_;
  bool keep_;
  std::vector<Bytes> inputs_;
  std::vector<std::string_view> words_;
};

double default_seconds() {
  if (const char* seconds = std::getenv("PARTITA_FUZZ_SECONDS")) return std::atof(seconds);
#ifdef __SANITIZE_ADDRESS__
  return 60;
#else
  return 2;  // What goes wrong in memory stays unseen here: that the target runs is all it shows.
#endif
}

}  // namespace

void fuzz_failed(const char* expectation, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: expected %s\n", file, line, expectation);
  std::abort();
}

}  // namespace partita::test

int main(int argc, char** argv) {
  using namespace partita::test;
  const std::string name = fs::path(argv[0]).filename();
  double seconds = default_seconds();
  std::uint64_t seed = std::random_device()();
  std::string corpus;
  std::string distilled;
  bool keep = false;
  std::vector<std::string> files;
  CLI::App app("Feeds changed inputs to a fuzz target.", name);
  app.add_option("--seconds", seconds, "How long to look")->capture_default_str();
  app.add_option("--seed", seed, "Where the random numbers begin");
  app.add_option("--corpus", corpus, "Folder of inputs to begin with");
  app.add_flag("--keep", keep, "Write inputs that reach new code into the corpus");
  app.add_option("--distil", distilled, "Write the few inputs of the corpus that reach the most into this folder")
      ->needs("--corpus");
  app.add_option("files", files, "Inputs to run once each, instead of looking for new ones");
  CLI11_PARSE(app, argc, argv);

  std::snprintf(at_work.file, sizeof at_work.file, "crash-%s-%d.bin", name.c_str(), static_cast<int>(getpid()));
  watch_for_death();
  if (!distilled.empty()) return distil_folder(corpus, distilled);
  if (!files.empty()) {
    for (const std::string& file : files) run_once(read_file(file));
    std::printf("%s: %zu inputs run\n", name.c_str(), files.size());
    return 0;
  }
  std::printf("%s: seed %llu, %g s\n", name.c_str(), static_cast<unsigned long long>(seed), seconds);
  std::fflush(stdout);
  Fuzzer fuzzer(seed, corpus, keep);
  const std::size_t given = fuzzer.inputs();
  fuzzer.run_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  std::printf("%s: %llu runs, %zu inputs given, %zu found\n", name.c_str(), static_cast<unsigned long long>(at_work.runs.load()), given,
              fuzzer.inputs() - given);
  return 0;
}
