// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/server/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace partita::server {

namespace {

constexpr std::array kStopSignals{SIGTERM, SIGINT, SIGHUP};

sigset_t asked_for() {
  sigset_t set;
  sigemptyset(&set);
  for (const int stop : kStopSignals) sigaddset(&set, stop);
  sigaddset(&set, SIGUSR1);
  return set;
}

constexpr char kReady = '\0';  // No text begins so.

/// All that the child says, up to its end or until it is ready.
std::string hear(int from_child) {
  std::string heard;
  std::array<char, 512> part;
  while (!heard.starts_with(kReady)) {
    const ssize_t size = ::read(from_child, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    heard.append(part.data(), static_cast<std::size_t>(size));
  }
  return heard;
}

void say(int to_parent, std::string_view text) { (void)!::write(to_parent, text.data(), text.size()); }

[[noreturn]] void wait_for_child(pid_t child, int from_child) {
  std::printf("forked process: %d\n", static_cast<int>(child));
  std::fflush(stdout);
  const std::string heard = hear(from_child);
  if (heard.starts_with(kReady)) {
    std::printf("child process started successfully, parent exiting\n");
    std::fflush(stdout);
    ::_exit(kClean);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(kAbrupt);
  std::fprintf(stderr, "ERROR: child process failed, exited with %d\n", code);
  std::fprintf(stderr, "%s\n", heard.empty() ? "Its log says why; so does a start without --fork." : heard.c_str());
  ::_exit(code);
}

}  // namespace

Background::Background(bool wanted) {
  if (!wanted) return;
  std::array<int, 2> pipe{};
  std::printf("about to fork child process, waiting until server is ready for connections.\n");
  std::fflush(stdout);
  const pid_t child = ::pipe2(pipe.data(), O_CLOEXEC) == 0 ? ::fork() : -1;
  if (child < 0) {
    std::fprintf(stderr, "ERROR: cannot fork: %s\n", std::strerror(errno));
    ::_exit(kForkFailed);
  }
  if (child > 0) {
    ::close(pipe[1]);
    wait_for_child(child, pipe[0]);
  }
  ::close(pipe[0]);
  to_parent_ = pipe[1];
  ::setsid();
  // A terminal or a pipe held open would keep whoever waits for its end waiting.
  if (const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0)
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
}

Background::~Background() {
  if (to_parent_ >= 0) ::close(to_parent_);
}

void Background::ready() {
  if (to_parent_ < 0) return;
  say(to_parent_, {&kReady, 1});
  ::close(std::exchange(to_parent_, -1));
}

void Background::failed(std::string_view why) {
  if (to_parent_ >= 0) say(to_parent_, why);
}

Result<PidFile> PidFile::write(const std::string& path) {
  if (path.empty()) return PidFile("");
  std::FILE* file = std::fopen(path.c_str(), "we");
  const bool written = file != nullptr && std::fprintf(file, "%d\n", static_cast<int>(::getpid())) > 0;
  const int why = errno;
  if (file == nullptr || std::fclose(file) != 0 || !written)
    return error(Code::FileOpenFailed, "cannot write the pid file ", path, ": ", std::strerror(why));
  return PidFile(path);
}

PidFile::~PidFile() {
  if (path_.empty()) return;
  std::FILE* file = std::fopen(path_.c_str(), "re");
  if (file == nullptr) return;
  int whose = 0;
  const bool ours = std::fscanf(file, "%d", &whose) == 1 && whose == static_cast<int>(::getpid());
  std::fclose(file);
  if (ours) ::unlink(path_.c_str());
}

std::uint64_t raise_descriptor_limit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  const rlim_t before = std::exchange(files.rlim_cur, files.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : before;
}

Signals::Signals() {
  const sigset_t set = asked_for();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // Writing to who has gone is an error like any other.
}

int Signals::wait() {
  const sigset_t set = asked_for();
  int number = 0;
  while (sigwait(&set, &number) != 0) continue;
  return number;
}

void Signals::let_the_next_one_kill() {
  sigset_t set;
  sigemptyset(&set);
  for (const int stop : kStopSignals) {
    std::signal(stop, [](int) { ::_exit(kAbrupt); });
    sigaddset(&set, stop);
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace partita::server
