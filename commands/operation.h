// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "commands/command.h"
#include "commands/generic_arguments.h"
#include "commands/kill_switch.h"
#include "commands/metrics.h"
#include "commands/plan_history.h"
#include "commands/text_source.h"
#include "shards/catalog/names.h"
#include "wire/net/service.h"

namespace partita::commands {

class ClientConnection;
struct Server;

using SteadyTime = std::chrono::steady_clock::time_point;

/// What a handler tells of its work, for the log and for counters.
struct OperationStats {
  DocumentCounts documents;
  std::string plan_summary;  ///< "IDHACK", "IXSCAN { a: 1 }"; empty for what has no plan.
  bson::Document originating_command;  ///< Of a getMore: what has opened its cursor. Where the profiler wants to know.
  bool told_statements = false;        ///< The profiler knows of each by itself.
  bool logs_statements = false;        ///< One of them shall be in the log.
};

/// One command on its way from request to reply. Handlers read it and write their reply's fields.
class Operation {
 public:
  Operation(Server& server, ClientConnection& client, const wire::Request& request, const Command& command,
            GenericArguments generic, bool on_worker);

  Server& server() { return server_; }
  ClientConnection& client() { return client_; }
  const ClientConnection& client() const { return client_; }
  const wire::Request& request() const { return request_; }
  bson::View body() const { return request_.body; }
  const Command& command() const { return command_; }
  /// The name as the client spelled it, and the value behind it.
  std::string_view name() const { return body().begin()->name; }
  bson::Value target() const { return body().begin()->value; }
  std::string_view db() const { return generic_.db; }
  const GenericArguments& generic() const { return generic_; }
  /// The collection that the command's first field names, checked. Commands differ in what they call one that is no name.
  Result<shards::Namespace> target_namespace(Code not_a_name = Code::BadValue) const;
  /// What it works on, as the log and currentOp show it, unchecked: "db.collection" or "db.$cmd".
  std::string shown_namespace() const;

  /// Which texts there is an index of, where it works.
  const TextSource& texts() const { return texts_; }

  /// Cursors are said to be of this namespace: of a view, whose pipeline this operation is.
  void answer_as(shards::Namespace ns) { answers_as_ = std::move(ns); }
  const shards::Namespace& answers_as(const shards::Namespace& own) const { return answers_as_ ? *answers_as_ : own; }

  bool on_worker() const { return on_worker_; }
  /// Asks for a worker thread: what has been written to the reply is dropped and the handler runs again there. A
  /// handler that changes anything must decide this before it does. Failing with LockBusy on a core asks for the same.
  Status to_worker() {
    next_ = wire::Next::kWorker;
    return {};
  }
  /// Suspends: the handler runs again when `wake` has been called, it is killed, or `deadline` has passed. Only for commands
  /// that change nothing; what they need again they leave with ClientConnection::keep().
  Status wait_until(SteadyTime deadline, std::function<void(std::function<void()> wake)> subscribe);
  /// Sends this reply and runs the handler again for the next one (exhaust).
  void reply_and_again() { next_ = wire::Next::kReplyAndAgain; }
  /// Closes the connection instead of answering.
  void close_connection() { next_ = wire::Next::kClose; }

  /// Fails when the client has gone, the server stops, the operation was killed or its time is up. Long work asks
  /// between batches; helpers' threads may ask too.
  Status check_interrupt() const;
  /// The same for work that goes on without its client: index builds.
  Status check_killed() const;
  void set_deadline(SteadyTime deadline) { deadline_ = deadline; }
  /// maxTimeMS says something else then: how long to wait for what is not there yet.
  void clear_deadline() { deadline_.reset(); }
  /// The cursor that it reads may be killed meanwhile.
  void interrupt_by(std::shared_ptr<const KillSwitch> cursor_killed) { cursor_killed_ = std::move(cursor_killed); }
  std::optional<SteadyTime> deadline() const { return deadline_; }

  /// Has taken so long that it will be logged: worth telling the log more.
  bool is_slow() const;
  /// Some database is profiled, or has a filter for the log: StatementNote, note_finished().
  bool watched() const { return watched_; }
  /// Somebody will want to read by which plan it was answered.
  bool tells_plan() const { return watched_ || is_slow(); }
  OperationStats& stats() { return stats_; }
  const OperationStats& stats() const { return stats_; }

  /// A plan was given up before anything came of it, and why.
  void note_planned_anew(std::string_view reason) {
    replan_reason_ = reason;
    plans().given_up = true;
  }
  /// The plans before are not this statement's.
  void begin_statement() {
    replan_reason_.clear();
    plans() = {};
  }
  PlanAsker plan_asker();
  /// It is made of another one, which answers: that one's deadline holds, and what it has seen of its plans.
  void stand_in_for(Operation& asked);
  /// Empty: none was.
  const std::string& replan_reason() const { return replan_reason_; }

  wire::Next next() const { return next_; }
  /// True when the reply must not leave before everything written so far is on disk.
  bool durable_reply() const { return generic_.write_concern.journaled && changes_data(command_.rights); }

 private:
  PlanHistory& plans() { return shared_plans_ != nullptr ? *shared_plans_ : plans_; }

  Server& server_;
  ClientConnection& client_;
  const wire::Request& request_;
  const Command& command_;
  GenericArguments generic_;
  bool on_worker_;
  const bool watched_;
  wire::Next next_ = wire::Next::kReply;
  std::optional<SteadyTime> deadline_;
  std::optional<shards::Namespace> answers_as_;
  std::shared_ptr<const KillSwitch> cursor_killed_;
  OperationStats stats_;
  std::string replan_reason_;
  PlanHistory plans_;
  PlanHistory* shared_plans_ = nullptr;  ///< Of the one that it stands in for.
  TextSource texts_{*this};
};

}  // namespace partita::commands
