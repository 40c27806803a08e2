// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/client_connection.h"

#include "commands/server.h"
#include "shards/store.h"
#include "wire/message/reply.h"

namespace partita::commands {
namespace {

Result<const Command*> look_up(std::string_view name) {
  if (const Command* command = find_command(name)) return command;
  if (const std::string_view reason = unsupported_reason(name); !reason.empty()) {
    return error(Code::CommandNotSupported, "'", name, "' is not supported: ", reason);
  }
  return error(Code::CommandNotFound, "no such command: '", name, "'");
}

Status check_target(const Command& command, const Operation& operation) {
  if (command.target == Target::kAdmin && operation.db() != "admin") {
    return error(Code::Unauthorized, command.name, " may only be run against the admin database.");
  }
  return shards::check_database_name(operation.db());
}

/// What a driver may do about the failure by itself: it looks for labels since wire version 9.
void add_labels(bson::Writer& body, const Status& status, bool retryable_write) {
  const ErrorLabels labels = error_labels(status.code());
  if (labels == ErrorLabels::kNone) return;
  bson::ArrayWriter array = body.array("errorLabels");
  if (labels == ErrorLabels::kRetryable && retryable_write) array.push("RetryableWriteError");
  if (labels == ErrorLabels::kOverloaded) {
    array.push("SystemOverloadedError");
    array.push("RetryableError");
  }
}

}  // namespace

ClientConnection::ClientConnection(Server& server, std::shared_ptr<wire::Peer> peer)
    : server_(server), peer_(std::move(peer)) {
  server_.connections.add(this);
}

ClientConnection::~ClientConnection() { server_.connections.remove(this); }

std::string_view ClientConnection::application_name() const {
  const bson::Value name = metadata_.view().at_path("application.name");
  return name.is_string() ? name.as_string() : std::string_view();
}

wire::Next ClientConnection::serve(const wire::Request& request, bson::Buffer& out, bool on_worker) {
  if (holding_) {
    out.append(held_reply_.bytes());
    held_reply_.clear();
    held_reply_.shrink(64 << 10);
    holding_ = false;
    return held_next_;
  }
  return dispatch(request, out, on_worker);
}

wire::Next ClientConnection::dispatch(const wire::Request& request, bson::Buffer& out, bool on_worker) {
  const std::size_t start = out.size();
  const auto fail = [&](const Status& status) {
    refuse(status, nullptr, out, start);
    return wire::Next::kReply;
  };
  Result<GenericArguments> generic = GenericArguments::parse(request);
  if (!generic.ok()) return fail(generic.status());
  const Result<const Command*> command = look_up(request.body.begin()->name);
  if (!command.ok()) return fail(command.status());
  if ((*command)->where == Where::kWorker && !on_worker) return wire::Next::kWorker;

  Operation operation(server_, *this, request, **command, *generic, on_worker);
  if (Status status = check_target(**command, operation); !status.ok()) return fail(status);
  return run(operation, out);
}

wire::Next ClientConnection::run(Operation& operation, bson::Buffer& out) {
  const std::size_t start = out.size();
  const SteadyTime started = std::chrono::steady_clock::now();
  if (const std::int64_t limit = operation.generic().max_time_ms; limit > 0) {
    operation.set_deadline(started + std::chrono::milliseconds(limit));
  }
  current_.started = started;
  Status status;
  {
    bson::Writer reply(out);
    status = operation.command().run(operation, reply);
    if (status.ok()) reply.add("ok", 1.0);
  }
  if (!status.ok()) refuse(status, &operation, out, start);
  wire::Next next = operation.next();
  if (next == wire::Next::kWorker || next == wire::Next::kWait) {
    out.truncate(start);
    return next;
  }
  resumed_from_.reset();
  current_.killed.store(false, std::memory_order_relaxed);
  note_finished(operation, started, status);
  if (operation.durable_reply()) {
    held_reply_.append(out.bytes().subspan(start));
    held_next_ = next;
    holding_ = true;
    out.truncate(start);
    return wire::Next::kWait;
  }
  return next;
}

void ClientConnection::refuse(const Status& status, const Operation* operation, bson::Buffer& out, std::size_t start) {
  out.truncate(start);
  bson::Writer body(out);
  wire::add_error(body, status);
  add_labels(body, status, operation != nullptr && operation->generic().transaction.has_value());
}

void ClientConnection::on_wait(std::function<void()> wake) {
  if (holding_) {
    server_.store.when_durable(std::move(wake));
    return;
  }
  // The event and the deadline race; whoever comes first wakes, once.
  Waiting waiting = std::exchange(waiting_, std::nullopt).value();
  resumed_from_ = waiting.deadline;
  auto once = std::make_shared<std::atomic_flag>();
  auto wake_once = [once, wake = std::move(wake)] {
    if (!once->test_and_set()) wake();
  };
  deadline_alarm_ = server_.timers.at(waiting.deadline, wake_once);
  if (waiting.subscribe) waiting.subscribe(wake_once);
}

void ClientConnection::note_finished(const Operation&, SteadyTime, const Status&) {}

}  // namespace partita::commands
