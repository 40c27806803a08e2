// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "commands/fail_points.h"
#include "commands/kill_switch.h"
#include "commands/operation.h"
#include "wire/bson/document.h"
#include "wire/message/compress.h"
#include "wire/net/timer.h"

namespace partita::shards {
struct BuildProgress;
}

namespace partita::commands {

/// What a running command shows of itself to currentOp and killOp. Other threads read it under its mutex. What runs on a
/// core and ends there shows nothing: it would be over before anybody could look.
struct CurrentOperation {
  std::int64_t id = 0;               ///< 0 while there is none.
  SteadyTime started;
  const Command* command = nullptr;  ///< Of the table.
  std::string ns;
  bson::Document body;
  std::optional<shards::Uuid> session;
  const shards::BuildProgress* build = nullptr;  ///< Of the indexes that it builds.
  KillSwitch killed;
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
  /// "conn12", as the log names it.
  const std::string& name() const { return name_; }
  /// True the first time: what only a first hello may say is told apart by this.
  bool greet() { return !std::exchange(greeted_, true); }
  /// The `client` document of the first hello; empty before. Other threads read it under current_mutex().
  const bson::Document& metadata() const { return metadata_; }
  void set_metadata(bson::Document metadata);
  std::string_view application_name() const;
  const std::vector<wire::Compressor>& compressors() const { return compressors_; }
  void set_compressors(std::vector<wire::Compressor> agreed) { compressors_ = std::move(agreed); }

  /// When the operation in hand began.
  SteadyTime arrived() const { return arrived_; }
  /// How long it has taken, not counting what it has waited for by itself.
  std::chrono::steady_clock::duration worked() const { return std::chrono::steady_clock::now() - arrived_ - waited_; }

  /// What a command keeps while it waits, until it is run again: gone with the client, and when something else answers.
  class Kept {
   public:
    virtual ~Kept() = default;
  };
  void keep(std::unique_ptr<Kept> kept) { kept_ = std::move(kept); }
  std::unique_ptr<Kept> take_kept() { return std::exchange(kept_, nullptr); }

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
  /// True when the request has been answered before and the handler is asked for the next reply to it (exhaust).
  bool answering_again() const { return again_; }

 private:
  wire::Next dispatch(const wire::Request& request, bson::Buffer& out, bool on_worker);
  wire::Next run(Operation& operation, bson::Buffer& out);
  Status answer(Operation& operation, bson::Buffer& out);
  std::optional<wire::Next> apply_fault(Operation& operation, bson::Buffer& out);
  wire::Next refuse_early(const Status& status, const wire::Request& request, bson::Buffer& out);
  Status set_deadline(Operation& operation);
  wire::Next finish_refused(Operation& operation, const Status& status, bson::Buffer& out);
  wire::Next hold_until_durable(wire::Next next, bson::Buffer& out, std::size_t start);
  void refuse(const Status& status, const Operation* operation, bson::Buffer& out, std::size_t start);
  void finish(const Operation& operation, const Status& status, bson::View reply);
  void show(const Operation& operation);
  void hide();

  Server& server_;
  std::shared_ptr<wire::Peer> peer_;
  const std::string name_;
  bool greeted_ = false;
  bson::Document metadata_;
  std::vector<wire::Compressor> compressors_;

  std::mutex current_mutex_;
  CurrentOperation current_;

  // The operation in hand, from the first call of serve() for it to the answer: hops and waits lie between.
  bool in_hand_ = false;
  SteadyTime arrived_;
  std::optional<Fault> fault_;
  bool again_ = false;

  std::optional<Waiting> waiting_;
  std::unique_ptr<Kept> kept_;
  std::optional<SteadyTime> waits_since_;
  std::chrono::steady_clock::duration waited_{};
  std::optional<SteadyTime> resumed_from_;
  bool delayed_by_fault_ = false;
  wire::Timers::Alarm deadline_alarm_;
  /// A finished reply that waits for the journal.
  bson::Buffer held_reply_;
  bool holding_ = false;
  wire::Next held_next_ = wire::Next::kReply;
};

}  // namespace partita::commands
