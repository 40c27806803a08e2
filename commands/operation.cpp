// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/operation.h"

#include "commands/client_connection.h"
#include "commands/server.h"
#include "commands/slow_log.h"

namespace partita::commands {

Operation::Operation(Server& server, ClientConnection& client, const wire::Request& request, const Command& command,
                     GenericArguments generic, bool on_worker)
    : server_(server),
      client_(client),
      request_(request),
      command_(command),
      generic_(generic),
      on_worker_(on_worker),
      watched_(server.profiler.watches()) {}

Result<shards::Namespace> Operation::target_namespace(Code not_a_name) const {
  const bson::Value target = this->target();
  if (!target.is_string()) {
    return error(not_a_name, "collection name has invalid type ", target.type_name());
  }
  return shards::Namespace::make(db(), target.as_string());
}

std::string Operation::shown_namespace() const {
  const bool collection = command_.target == Target::kCollection && target().is_string();
  return ::partita::detail::join(db(), ".", collection ? target().as_string() : "$cmd");
}

PlanAsker Operation::plan_asker() { return {server_.store, on_worker_, plans()}; }

void Operation::stand_in_for(Operation& asked) {
  if (asked.deadline()) set_deadline(*asked.deadline());
  shared_plans_ = &asked.plans();
}

bool Operation::is_slow() const {
  return commands::is_slow(client_.worked());
}

Status Operation::wait_until(SteadyTime deadline, std::function<void(std::function<void()> wake)> subscribe) {
  client_.set_waiting({deadline, std::move(subscribe)});
  next_ = wire::Next::kWait;
  return {};
}

Status Operation::check_interrupt() const {
  // A server that stops marks its clients as gone, to wake who waits; they can still be told.
  const bool stops = server_.stopping.load(std::memory_order_relaxed);
  if (!stops && client_.peer().gone.load(std::memory_order_relaxed)) {
    return error(Code::ClientDisconnect, "operation was interrupted because a client disconnected");
  }
  return check_killed();
}

Status Operation::check_killed() const {
  if (server_.stopping.load(std::memory_order_relaxed)) {
    return error(Code::InterruptedAtShutdown, "interrupted at shutdown");
  }
  if (client_.current().killed.thrown()) {
    return error(Code::Interrupted, "operation was interrupted");
  }
  if (cursor_killed_ != nullptr && cursor_killed_->thrown()) {
    return error(Code::CursorKilled, "the cursor was killed");
  }
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
    return error(Code::MaxTimeMSExpired, "operation exceeded time limit");
  }
  return {};
}

}  // namespace partita::commands
