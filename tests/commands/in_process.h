// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "commands/client_connection.h"
#include "commands/server.h"
#include "shards/store.h"
#include "tests/support/readable.h"  // How answers are printed.

namespace partita::test {

/// What a client's network would know of it.
std::shared_ptr<wire::Peer> make_peer();

/// What a connection does after kWait or kHold: sleeps until the service's waker is called.
void wait_for_wake(commands::ClientConnection& connection);

/// One client of a server in the same process: speaks to commands as a connection does, without a socket.
class Client {
 public:
  struct Manner {
    bool exhaust_allowed = false;
    bool legacy = false;
  };
  explicit Client(commands::Server& server);

  /// Sends a command, written as relaxed JSON, and waits for the answer. The database is "admin" for commands that want
  /// that and "test" for others, unless `$db` names one. Answers are printed on one line as people write them:
  /// {n: 1, ok: 1.0}; a dropped connection as "closed".
  std::string run(std::string_view command) { return run(command, {}); }
  std::string run(std::string_view command, Manner manner);
  /// The same answer as a document; empty when the connection was dropped.
  bson::Document reply(std::string_view command) { return reply(command, {}); }
  bson::Document reply(std::string_view command, Manner manner);
  bson::Document reply(bson::View command, Manner manner);
  /// The next answer of a stream that exhaust_allowed has opened; empty when it has ended.
  bson::Document next_reply();

  /// How often a finished answer has waited for the journal.
  int held() const { return held_; }

  commands::ClientConnection& connection() { return *connection_; }
  wire::Peer& peer() { return *peer_; }

 private:
  bson::Document answer();

  std::shared_ptr<wire::Peer> peer_;
  std::unique_ptr<commands::ClientConnection> connection_;
  bson::Document body_;
  wire::Request request_;
  bool streaming_ = false;
  int held_ = 0;
};

/// A whole server but for its sockets, over a store in a directory of its own.
class InProcess {
 public:
  explicit InProcess(std::uint64_t cache_bytes = 64 << 20);
  ~InProcess();

  /// Starts again from what a kill -9 would leave: all that the store has handed to the kernel. Clients are to be made anew.
  void crash();

  std::string run(std::string_view command) { return client_->run(command); }
  bson::Document reply(std::string_view command) { return client_->reply(command); }
  Client& client() { return *client_; }
  commands::Server& server() { return *server_; }

 private:
  void start();
  void stop();

  std::filesystem::path directory_;
  const std::uint64_t cache_bytes_;
  shards::SystemWallClock wall_;
  std::unique_ptr<shards::Store> store_;
  wire::Timers timers_;
  std::unique_ptr<commands::Cursors> cursors_;
  std::unique_ptr<commands::Server> server_;
  std::unique_ptr<Client> client_;
};

}  // namespace partita::test
