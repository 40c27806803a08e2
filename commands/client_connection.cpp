// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/client_connection.h"

#include "commands/asked_help.h"
#include "commands/document_sequences.h"
#include "commands/finished_operation.h"
#include "commands/server.h"
#include "commands/settings/server_parameters.h"
#include "commands/shown_operation.h"
#include "commands/views.h"
#include "query/interrupt.h"
#include "shards/storage/patience.h"
#include "shards/store.h"
#include "wire/log/log.h"
#include "wire/message/reply.h"

namespace partita::commands {
namespace {

Result<const Command*> look_up(std::string_view name) {
  const Command* command = find_command(name);
  if (command != nullptr && (!command->test_only || parameters::enable_test_commands.get())) return command;
  if (const std::string_view reason = unsupported_reason(name); !reason.empty()) {
    return error(Code::CommandNotSupported, "'", name, "' is not supported: ", reason);
  }
  return error(Code::CommandNotFound, "no such command: '", name, "'");
}

/// What is long to read is long to parse as well: thousands of names in a projection, of values in a filter.
constexpr std::size_t kMaxRequestOnCore = 64 << 10;

bool is_for_worker(const Command& command, const wire::Request& request) {
  if (command.where == Where::kWorker) return true;
  const bool on_documents = command.rights == Rights::kRead || command.rights == Rights::kWrite;
  return on_documents && request.wire_size > kMaxRequestOnCore;
}

/// Whoever looks at what is profiled sees what they have done before.
bool reads_profile(const Operation& operation) {
  const bson::Value target = operation.target();
  return target.is_string() && target.as_string() == Profiler::kCollection;
}

Status check_target(const Command& command, const Operation& operation) {
  if (command.target == Target::kAdmin && operation.db() != "admin") {
    return error(Code::Unauthorized, command.name, " may only be run against the admin database.");
  }
  CHECK_OK(operation.generic().check(command));
  return shards::check_database_name(operation.db());
}

/// What takes long over one document is interrupted like all else, and is no work for a core, where others wait.
class WorkInterrupt : public query::Interrupt {
 public:
  explicit WorkInterrupt(const Operation& operation) : operation_(operation) {}

 private:
  static constexpr std::chrono::microseconds kMostOnCore{500};

  Status check() override {
    if (!operation_.on_worker()) {
      const SteadyTime now = std::chrono::steady_clock::now();
      if (!began_) began_ = now;
      if (now - *began_ > kMostOnCore) return error(Code::LockBusy, "more than an io core should compute");
    }
    return operation_.check_interrupt();
  }

  const Operation& operation_;
  std::optional<SteadyTime> began_;  ///< From the first look on.
};

/// What a driver may do about the failure by itself: it looks for labels since wire version 9.
void add_labels(bson::Writer& body, Code code, bool retryable_write) {
  const ErrorLabels labels = error_labels(code);
  if (labels == ErrorLabels::kRetryable && retryable_write) body.array("errorLabels").push("RetryableWriteError");
  if (labels == ErrorLabels::kOverloaded) {
    bson::ArrayWriter array = body.array("errorLabels");
    array.push("SystemOverloadedError");
    array.push("RetryableError");
  }
}

/// A fault's labels stand for those that the error would have had, also when they are none.
void add_labels(bson::Writer& body, Code code, bool retryable_write, const std::optional<Fault>& fault) {
  if (!fault || !fault->has_labels()) return add_labels(body, code, retryable_write);
  if (!fault->labels().empty()) body.array("errorLabels", fault->labels());
}

/// Drivers look whether what they know of the server is newer than the refusal to be a primary. MongoDB says so of these
/// alone: errors of a shutdown have no topologyVersion there either, unless it waits for its clients to go.
bool tells_topology(Code code) {
  switch (code) {
    case Code::PrimarySteppedDown:
    case Code::NotWritablePrimary:
    case Code::InterruptedDueToReplStateChange:
    case Code::NotPrimaryNoSecondaryOk:
    case Code::NotPrimaryOrSecondary:
      return true;
    default:
      return false;
  }
}

void add_write_concern_error(bson::Writer& reply, const Server& server, const Operation& operation, const std::optional<Fault>& fault) {
  const bson::Value error = fault ? fault->write_concern_error() : bson::Value();
  if (!error.is_document() || operation.command().rights != Rights::kWrite) return;
  reply.add("writeConcernError", error);
  const auto code = static_cast<Code>(error.as_document()["code"].exact_int64().value_or(0));
  if (tells_topology(code)) server.topology.write(reply);
  add_labels(reply, code, operation.generic().transaction.has_value(), fault);
}

/// What the handler, or a refusal, has written from `start` on.
bson::View reply_in(const bson::Buffer& out, std::size_t start) {
  return out.size() == start ? bson::View() : bson::View::trusted(out.data() + start);
}

}  // namespace

ClientConnection::ClientConnection(Server& server, std::shared_ptr<wire::Peer> peer)
    : server_(server), peer_(std::move(peer)), name_("conn" + std::to_string(peer_->connection_id)) {
  server_.connections.add(this);
  if (log::quiet()) return;
  log::info(log::Component::kNetwork, 22943, "Connection accepted",
            {{"remote", peer_->remote},
             {"connectionId", peer_->connection_id},
             {"connectionCount", server_.connections.count()}});
}

ClientConnection::~ClientConnection() {
  server_.connections.remove(this);
  if (log::quiet()) return;
  const log::Context context(name_);
  log::info(log::Component::kNetwork, 22944, "Connection ended",
            {{"remote", peer_->remote},
             {"connectionId", peer_->connection_id},
             {"connectionCount", server_.connections.count()}});
}

void ClientConnection::set_metadata(bson::Document metadata) {
  const std::lock_guard lock(current_mutex_);
  metadata_ = std::move(metadata);
}

std::string_view ClientConnection::application_name() const {
  const bson::Value name = metadata_.view().at_path("application.name");
  return name.is_string() ? name.as_string() : std::string_view();
}

wire::Next ClientConnection::serve(const wire::Request& request, bson::Buffer& out, bool on_worker) {
  const log::Context context(name_);
  if (holding_) {
    out.append(held_reply_.bytes());
    held_reply_.clear();
    held_reply_.shrink(64 << 10);
    holding_ = false;
    return held_next_;
  }
  std::optional<shards::NoWaiting> no_waiting;
  if (!on_worker) no_waiting.emplace();
  return dispatch(request, out, on_worker);
}

wire::Next ClientConnection::dispatch(const wire::Request& request, bson::Buffer& out, bool on_worker) {
  const bool begins = !std::exchange(in_hand_, true);
  if (begins) arrived_ = std::chrono::steady_clock::now();
  if (waits_since_) waited_ += std::chrono::steady_clock::now() - *std::exchange(waits_since_, std::nullopt);
  const Result<GenericArguments> generic = GenericArguments::parse(request);
  if (!generic.ok()) return refuse_early(generic.status(), request, out);
  const Result<const Command*> command = look_up(request.body.begin()->name);
  if (!command.ok()) return refuse_early(command.status(), request, out);

  std::optional<wire::Request> bare;
  Status sequences;
  if (request.sequence_count > 0) {
    Result<std::optional<wire::Request>> made = without_sequences(**command, request);
    if (made.ok()) bare = *made;
    else sequences = made.status();
  }

  Operation operation(server_, *this, bare ? *bare : request, **command, *generic, on_worker);
  Status refused = check_target(**command, operation);
  if (refused.ok()) refused = std::move(sequences);
  if (!refused.ok()) return finish_refused(operation, refused, out);
  if (begins && fail_command.armed()) [[unlikely]] fault_ = Fault::pick(operation);
  if (fault_) [[unlikely]] {
    if (const std::optional<wire::Next> next = apply_fault(operation, out)) return *next;
  }
  const bool waits = operation.watched() && server_.profiler.writer().pending() && reads_profile(operation);
  if (!on_worker && (waits || is_for_worker(**command, request))) return wire::Next::kWorker;
  if (waits) {
    const auto interrupted = [&] { return operation.check_interrupt(); };
    if (Status status = server_.profiler.writer().drain(interrupted); !status.ok()) return finish_refused(operation, status, out);
  }
  return run(operation, out);
}

/// What the fault does instead of the command; nullopt when the command shall run.
std::optional<wire::Next> ClientConnection::apply_fault(Operation& operation, bson::Buffer& out) {
  if (const auto delay = fault_->take_delay()) {
    (void)operation.wait_until(arrived_ + *delay, {});
    delayed_by_fault_ = true;
    show(operation);
    return wire::Next::kWait;
  }
  if (std::exchange(delayed_by_fault_, false)) resumed_from_.reset();  // The handler has not waited: the fault has.
  if (fault_->closes_connection()) return wire::Next::kClose;
  if (fault_->failure().ok()) return std::nullopt;
  return finish_refused(operation, fault_->failure(), out);
}

/// Sets how long the operation may take; fails when that is over already.
Status ClientConnection::set_deadline(Operation& operation) {
  const std::int64_t limit = operation.generic().max_time_ms;
  if (limit == 0) return {};
  if (max_time_always_times_out.armed() && max_time_always_times_out.fire() != nullptr) {
    return error(Code::MaxTimeMSExpired, "operation exceeded time limit");
  }
  if (!max_time_never_times_out.armed()) operation.set_deadline(arrived_ + std::chrono::milliseconds(limit));
  return {};
}

/// The handler's reply, with what belongs to each.
Status ClientConnection::answer(Operation& operation, bson::Buffer& out) {
  // Each index gets its first array once, and a collection hardly ever another order.
  constexpr int kMostPlans = 10;
  const std::size_t start = out.size();
  for (int plans = 1;; ++plans) {
    bson::Writer reply(out);
    const Status status = run_or_read_view(operation, reply);
    if (status.ok()) {
      if (fault_) [[unlikely]] add_write_concern_error(reply, server_, operation, fault_);
      reply.add("ok", 1.0);
      return {};
    }
    reply.close();
    out.truncate(start);
    if (asks_for_help(operation, status)) {
      bson::Writer help(out);
      write_help(operation.command(), help);
      help.add("ok", 1.0);
      return {};
    }
    const bool overtaken = status.code() == Code::QueryPlanKilled || status.code() == Code::StaleConfig;
    const bool again = overtaken && operation.command().plans_anew && plans < kMostPlans;
    if (!again) return status;
    operation.note_planned_anew(status.message());
  }
}

wire::Next ClientConnection::run(Operation& operation, bson::Buffer& out) {
  const std::size_t start = out.size();
  if (operation.on_worker()) show(operation);
  Status status = set_deadline(operation);
  if (status.ok()) {
    WorkInterrupt interrupt(operation);
    const query::Interruptible here(interrupt);
    status = answer(operation, out);
    // Whoever looks at rows that are not a collection's may have taken the failure of a filter for an answer.
    if (status.ok() && !changes_data(operation.command().rights)) status = query::Interrupt::reason();
  }
  // Something is in the way that may take time, and nothing has been changed: a worker begins anew.
  if (status.code() == Code::LockBusy && !operation.on_worker()) status = operation.to_worker();
  if (!status.ok()) refuse(status, &operation, out, start);
  const wire::Next next = operation.next();
  if (next == wire::Next::kWorker || next == wire::Next::kWait) {
    out.truncate(start);
    if (next == wire::Next::kWait) show(operation);
    return next;
  }
  finish(operation, status, reply_in(out, start));
  return status.ok() && operation.durable_reply() ? hold_until_durable(next, out, start) : next;
}

wire::Next ClientConnection::hold_until_durable(wire::Next next, bson::Buffer& out, std::size_t start) {
  held_reply_.append(out.bytes().subspan(start));
  held_next_ = next;
  holding_ = true;
  out.truncate(start);
  return wire::Next::kHold;
}

/// Before it is known what the client wants.
wire::Next ClientConnection::refuse_early(const Status& status, const wire::Request& request, bson::Buffer& out) {
  const std::size_t start = out.size();
  refuse(status, nullptr, out, start);
  server_.metrics.count_refused(request.wire_size, out.size() - start);
  in_hand_ = false;
  return wire::Next::kReply;
}

/// Instead of running it.
wire::Next ClientConnection::finish_refused(Operation& operation, const Status& status, bson::Buffer& out) {
  const std::size_t start = out.size();
  refuse(status, &operation, out, start);
  finish(operation, status, reply_in(out, start));
  return wire::Next::kReply;
}

void ClientConnection::refuse(const Status& status, const Operation* operation, bson::Buffer& out, std::size_t start) {
  out.truncate(start);
  bson::Writer body(out);
  if (tells_topology(status.code())) server_.topology.write(body);
  wire::add_error(body, status);
  add_labels(body, status.code(), operation != nullptr && operation->generic().transaction.has_value(), fault_);
}

/// The answer is complete: tells of the operation and forgets it.
void ClientConnection::finish(const Operation& operation, const Status& status, bson::View reply) {
  note_finished(server_, {.operation = operation, .status = status, .took = worked(), .reply = reply});
  hide();
  if (operation.next() != wire::Next::kReplyAndAgain) kept_.reset();
  waited_ = {};
  fault_.reset();
  resumed_from_.reset();
  again_ = operation.next() == wire::Next::kReplyAndAgain;
  in_hand_ = false;
}

void ClientConnection::show(const Operation& operation) {
  if (current_.id != 0) return;
  const std::lock_guard lock(current_mutex_);
  current_.id = server_.connections.next_operation_id();
  current_.started = arrived_;
  current_.command = &operation.command();
  current_.ns = operation.shown_namespace();
  current_.body = shown_command(operation.body());
  current_.session = operation.generic().session;
}

void ClientConnection::hide() {
  if (current_.id == 0) return;  // Nobody else sets it.
  const std::lock_guard lock(current_mutex_);
  current_.id = 0;
  current_.command = nullptr;
  current_.body = bson::Document();
  current_.killed.reset();
}

void ClientConnection::on_wait(std::function<void()> wake) {
  if (holding_) {
    server_.store.when_durable(std::move(wake));
    return;
  }
  // The event and the deadline race; whoever comes first wakes, once.
  Waiting waiting = std::exchange(waiting_, std::nullopt).value();
  resumed_from_ = waiting.deadline;
  if (!delayed_by_fault_) waits_since_ = std::chrono::steady_clock::now();
  auto once = std::make_shared<std::atomic_flag>();
  auto wake_once = [once, wake = std::move(wake)] {
    if (!once->test_and_set()) wake();
  };
  deadline_alarm_ = server_.timers.at(waiting.deadline, wake_once);
  if (waiting.subscribe) waiting.subscribe(wake_once);
  current_.killed.on_kill(wake_once);
}

}  // namespace partita::commands
