// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "commands/operation.h"
#include "wire/bson/document.h"
#include "wire/net/timer.h"

namespace partita::commands {

/// What a running command shows of itself to currentOp and killOp. Copied out under its mutex by other threads.
struct CurrentOperation {
  std::int64_t id = 0;
  SteadyTime started;
  std::string_view command;  ///< Of the table, so it outlives everything.
  std::string ns;
  bson::Document body;       ///< Copied only once the operation has moved to a worker: short ones show no body.
  std::atomic<bool> killed{false};
};

/// One client: its connection, what it said of itself, the command it runs. All members but `current` and what `peer`
/// marks as atomic belong to the connection's core, or to the worker that runs its command meanwhile.
class ClientConnection final : public wire::Conversation {
 public:
  ClientConnection(Server& server, std::shared_ptr<wire::Peer> peer);
  ~ClientConnection() override;

  wire::Next serve(const wire::Request& request, bson::Buffer& out, bool on_worker) override;
  void on_wait(std::function<void()> wake) override;

  const wire::Peer& peer() const { return *peer_; }
  /// The `client` document of the first hello; empty before.
  const bson::Document& metadata() const { return metadata_; }
  void set_metadata(bson::Document metadata) { metadata_ = std::move(metadata); }
  std::string_view application_name() const;

  CurrentOperation& current() { return current_; }
  std::mutex& current_mutex() { return current_mutex_; }

  /// For Operation::wait_until only.
  struct Waiting {
    SteadyTime deadline;
    std::function<void(std::function<void()> wake)> subscribe;
  };
  void set_waiting(Waiting waiting) { waiting_ = std::move(waiting); }
  /// The deadline of the wait that this call of the handler comes back from; nullopt on its first call.
  std::optional<SteadyTime> resumed_from() const { return resumed_from_; }

 private:
  wire::Next dispatch(const wire::Request& request, bson::Buffer& out, bool on_worker);
  wire::Next run(Operation& operation, bson::Buffer& out);
  void refuse(const Status& status, const Operation* operation, bson::Buffer& out, std::size_t start);
  void note_finished(const Operation& operation, SteadyTime started, const Status& status);

  Server& server_;
  std::shared_ptr<wire::Peer> peer_;
  bson::Document metadata_;

  std::mutex current_mutex_;
  CurrentOperation current_;

  std::optional<Waiting> waiting_;
  std::optional<SteadyTime> resumed_from_;
  wire::Timers::Alarm deadline_alarm_;
  /// A finished reply that waits for the journal.
  bson::Buffer held_reply_;
  bool holding_ = false;
  wire::Next held_next_ = wire::Next::kReply;
};

}  // namespace partita::commands
