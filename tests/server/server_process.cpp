// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/server/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

extern char** environ;

namespace partita::test {

using client::Problem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

/// A port free now, or 0. The server is started again and again on it, and clients reconnect to it.
int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(probe, generic, size) == 0 && ::getsockname(probe, generic, &size) == 0;
  ::close(probe);
  return bound ? ntohs(address.sin_port) : 0;
}

/// True while nothing but a connection is asked for: cheap, and quicker to answer than the driver's discovery.
bool accepts(int port) {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool connected = ::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  return connected;
}

/// Whether the server calls itself writable, or may yet become so when it is told to (a fresh replica set).
bool takes_writes(const std::string& uri) {
  const client::Client client(mongoc_client_new(uri.c_str()));
  const client::Bson hello(BCON_NEW("hello", BCON_INT32(1)));
  client::Reply reply;
  if (client::run(client.get(), "admin", hello.get(), reply)) return false;
  bson_iter_t found;
  if (!bson_iter_init_find(&found, &reply.get(), "isWritablePrimary")) return false;
  return bson_iter_as_bool(&found) || bson_has_field(&reply.get(), "isreplicaset");
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return std::string("signal ") + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ServerProcess::ServerProcess(std::string binary, std::filesystem::path directory, std::vector<std::string> arguments)
    : binary_(std::move(binary)),
      directory_(std::move(directory)),
      arguments_(std::move(arguments)),
      port_(free_port()) {
  uri_ = "mongodb://127.0.0.1:" + std::to_string(port_) + "/?directConnection=true&serverSelectionTryOnce=false";
  std::filesystem::create_directories(directory_ / "db");
}

ServerProcess::~ServerProcess() { kill(); }

Problem ServerProcess::launch() {
  std::vector<std::string> words{binary_,     "--dbpath", (directory_ / "db").string(), "--port", std::to_string(port_),
                                 "--bind_ip", "127.0.0.1"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = (directory_ / "server.log").string();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  launched_ = Clock::now();
  const int failed = ::posix_spawn(&pid_, binary_.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed == 0) return std::nullopt;
  pid_ = -1;
  return binary_ + ": " + std::strerror(failed);
}

Problem ServerProcess::wait_ready() {
  const auto deadline = Clock::now() + 120s;
  while (Clock::now() < deadline) {
    if (Problem ended = check_alive()) return "while starting: " + *ended;
    if (accepts(port_) && takes_writes(uri_)) {
      last_start_ = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - launched_);
      return std::nullopt;
    }
    std::this_thread::sleep_for(5ms);
  }
  return "the server does not take writes within 120 s of its start";
}

Problem ServerProcess::check_alive() {
  if (pid_ > 0 && !reap(false)) return std::nullopt;
  return "the server ended by itself with " + describe(status_);
}

void ServerProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  reap(true);
}

Problem ServerProcess::stop(std::chrono::seconds limit) {
  if (Problem ended = check_alive()) return ended;
  ::kill(pid_, SIGTERM);
  const auto deadline = Clock::now() + limit;
  while (!reap(false)) {
    if (Clock::now() > deadline) return "the server does not stop within " + std::to_string(limit.count()) + " s";
    std::this_thread::sleep_for(5ms);
  }
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return std::nullopt;
  return "the server, asked to stop, ended with " + describe(status_);
}

/// True once the process is gone; its number is free for others from then on, so it is forgotten at once.
bool ServerProcess::reap(bool wait) {
  if (::waitpid(pid_, &status_, wait ? 0 : WNOHANG) != pid_) return false;
  pid_ = -1;
  return true;
}

}  // namespace partita::test
