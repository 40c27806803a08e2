// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "wire/bson/buffer.h"
#include "wire/message/exchange.h"

namespace partita::wire {

/// What the network knows of a connection. Lives as long as the connection and whatever still works for it.
struct Peer {
  std::int64_t connection_id = 0;
  std::string remote;     ///< "127.0.0.1:53122", or the socket's path.
  std::string local;      ///< The address it came in on.
  bool unix_socket = false;
  unsigned core = 0;      ///< The io thread that it lives on.
  /// Set when the client has gone or the server stops: long work looks at it between batches and gives up.
  std::atomic<bool> gone{false};
};

/// What a connection does after the service has looked at a request.
enum class Next : std::uint8_t {
  kReply,          ///< The reply's body stands in the output: frame it and send it.
  kReplyAndAgain,  ///< The same, flagged moreToCome: then ask again for the next reply to this request (exhaust).
  kNoReply,        ///< Nothing is sent (the client asked for none).
  kClose,          ///< Close without an answer.
  kWorker,         ///< Call serve() again with the same request on a worker thread, where it may block.
  kWait,           ///< Suspend until the service calls the waker; then call serve() again on the connection's core.
  kHold,           ///< The same for an answer that stands and only waits for the disk: a server that stops waits too.
};

/// One connection's memory inside the service: cursors opened, handshake metadata, a request that waits.
class Conversation {
 public:
  virtual ~Conversation() = default;

  /// Answers `request` by appending the reply's body to `out`, which is cut back to where it stood on every call that
  /// ends in kWorker, kWait or kHold. On the io core (`on_worker` false) it must neither block nor run long.
  /// The request's bytes stay valid and unmoved until the final answer.
  virtual Next serve(const Request& request, bson::Buffer& out, bool on_worker) = 0;

  /// After kWait or kHold, on the connection's core: `wake` may be called once from any thread, also before this
  /// returns. The service sets its own deadlines. When the client goes first, serve() is not called again. When the
  /// server stops, those in kWait are woken with Peer::gone set: they answer now, or the connection closes. A waker that
  /// comes too late does nothing, as long as the Network exists.
  virtual void on_wait(std::function<void()> wake) = 0;
};

class Service {
 public:
  virtual ~Service() = default;
  /// A connection has been accepted. Called on its core.
  virtual std::unique_ptr<Conversation> open(std::shared_ptr<Peer> peer) = 0;
};

}  // namespace partita::wire
