// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/client_connection.h"
#include "commands/cursor_reply.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

struct GetMoreRequest {
  std::string_view collection;
  std::optional<std::int64_t> batch_size;
  bson::Value term, known_time;
};

const Arguments<GetMoreRequest> kArguments{
    {"collection", &GetMoreRequest::collection, Rule::kRequired},
    {"batchSize", &GetMoreRequest::batch_size},
    {"term", &GetMoreRequest::term},                  // Between the members of a replica set.
    {"lastKnownCommittedOpTime", &GetMoreRequest::known_time},  // The same.
};

/// All that fits into one reply, when the client says nothing of how many it wants.
constexpr std::int64_t kNoLimit = INT64_MAX;

/// A cursor whose client waits for more of a capped collection. All others find it in use meanwhile.
class WaitingCursor final : public ClientConnection::Kept {
 public:
  /// `changes` is what its Tail had counted before the cursor was found at its end.
  WaitingCursor(Cursors& cursors, ClientCursor cursor, std::uint64_t changes)
      : cursors_(cursors), cursor_(std::move(cursor)), changes_(changes) {}
  /// The client is gone, or somebody else has answered.
  ~WaitingCursor() override {
    if (cursor_.execution != nullptr) cursors_.forget(cursor_.id);
  }

  void wait(std::function<void()> wake) {
    shards::Tail& tail = *cursor_.execution->awaited();
    waiter_.emplace(tail, wake);
    if (tail.changes() != changes_) wake();
    cursor_.killed->on_kill(std::move(wake));
  }
  std::int64_t id() const { return cursor_.id; }
  ClientCursor take() {
    waiter_.reset();
    return std::move(cursor_);
  }

 private:
  Cursors& cursors_;
  ClientCursor cursor_;
  const std::uint64_t changes_;
  std::optional<shards::Tail::Waiter> waiter_;
};

/// The cursor of a stream (exhaust): nobody but its client would ask for more of it, and that one asks only once.
class StreamedCursor final : public ClientConnection::Kept {
 public:
  StreamedCursor(Cursors& cursors, std::int64_t id) : cursors_(cursors), id_(id) {}
  /// The client has gone between two batches.
  ~StreamedCursor() override {
    if (!goes_on_) cursors_.kill(id_);
  }
  void go_on() { goes_on_ = true; }

 private:
  Cursors& cursors_;
  const std::int64_t id_;
  bool goes_on_ = false;
};

/// From where it waited, or from among all.
Result<ClientCursor> take_cursor(Operation& operation, const shards::Namespace& ns) {
  const std::int64_t id = operation.target().as_int64();
  const auto kept = operation.client().take_kept();
  auto* waiting = dynamic_cast<WaitingCursor*>(kept.get());
  if (waiting != nullptr && waiting->id() == id) return waiting->take();
  if (auto* streamed = dynamic_cast<StreamedCursor*>(kept.get()); streamed != nullptr) streamed->go_on();
  return operation.server().cursors.take(id, ns.full(), operation.generic().session);
}

/// As long as maxTimeMS says, which is no limit of the operation then.
SteadyTime end_of_wait(const Operation& operation) {
  constexpr std::chrono::milliseconds kUsual(1000);
  const bool said = operation.body().has("maxTimeMS");
  return operation.client().arrived() + (said ? std::chrono::milliseconds(operation.generic().max_time_ms) : kUsual);
}

bool may_wait(const Operation& operation) { return std::chrono::steady_clock::now() < end_of_wait(operation); }

Status wait_for_more(Operation& operation, ClientCursor cursor, std::uint64_t changes) {
  auto kept = std::make_unique<WaitingCursor>(operation.server().cursors, std::move(cursor), changes);
  WaitingCursor& waiting = *kept;  // As long as it waits.
  operation.client().keep(std::move(kept));
  return operation.wait_until(end_of_wait(operation), [&waiting](std::function<void()> wake) { waiting.wait(std::move(wake)); });
}

Status get_more(Operation& operation, bson::Writer& reply) {
  TRY(const GetMoreRequest request, kArguments.parse("getMore", operation.request()));
  if (!operation.target().is(bson::Type::kInt64)) {
    if (operation.target().is_null()) return missing_field("getMore", "getMore");
    return wrong_type("getMore", "getMore", operation.target(), "long");
  }
  const bson::Value term = request.term;
  if (!term.missing() && !term.is_null() && !term.is(bson::Type::kInt64)) return wrong_type("getMore", "term", term, "long");
  const bson::Value known = request.known_time;
  if (!known.missing() && !known.is_null() && !known.is_document()) {
    return wrong_type("getMore", "lastKnownCommittedOpTime", known, "object");
  }
  if (request.batch_size.value_or(0) < 0) {
    return error(Code{51024}, "BSON field 'batchSize' value must be >= 0, actual value '", *request.batch_size, "'");
  }
  if (request.collection.empty()) return error(Code::InvalidNamespace, "Collection names cannot be empty");
  const shards::Namespace ns(operation.db(), request.collection);
  Cursors& cursors = operation.server().cursors;
  TRY(ClientCursor cursor, take_cursor(operation, ns));
  shards::Tail* awaited = cursor.execution->awaited();
  if (awaited == nullptr && operation.body().has("maxTimeMS")) {
    cursors.put_back(std::move(cursor));
    return error(Code::BadValue, "cannot set maxTimeMS on getMore command for a non-awaitData cursor");
  }
  if (awaited != nullptr) operation.clear_deadline();
  else if (cursor.time_left) operation.set_deadline(operation.client().arrived() + std::chrono::duration_cast<SteadyTime::duration>(*cursor.time_left));
  const std::uint64_t changes = awaited != nullptr ? awaited->changes() : 0;
  operation.interrupt_by(cursor.killed);
  if (operation.watched()) operation.stats().originating_command = cursor.command.copy();
  BatchLimits limits;
  limits.documents = request.batch_size.value_or(0) > 0 ? *request.batch_size : kNoLimit;
  bson::Writer body = reply.document("cursor");
  Status status;
  {
    bson::ArrayWriter batch = body.array("nextBatch");
    status = fill_batch(operation, *cursor.execution, batch, limits);
  }
  if (status.code() == Code::StaleConfig) status = error(Code::QueryPlanKilled, "the collection has been divided anew: ", status.message());
  // A batch that nobody receives is missing from all that could come behind it; and who waits is woken to be told.
  if (status.ok() && (awaited != nullptr || operation.client().peer().gone)) status = operation.check_interrupt();
  if (status.ok() && awaited != nullptr && operation.stats().documents.returned == 0 && may_wait(operation)) {
    return wait_for_more(operation, std::move(cursor), changes);
  }
  if (awaited == nullptr && operation.deadline()) cursor.time_left = *operation.deadline() - std::chrono::steady_clock::now();
  if (status.ok()) cursor.execution->add_to_cursor(body);
  cursor.documents_returned += operation.stats().documents.returned;
  ++cursor.batches_returned;
  const std::int64_t id = cursor.id;
  const bool done = !status.ok() || cursor.execution->exhausted();
  if (done) {
    cursors.forget(id);
  } else {
    cursors.put_back(std::move(cursor));
  }
  CHECK_OK(std::move(status));
  body.add("id", done ? std::int64_t{0} : id);
  body.add("ns", ns.full());
  if (!done && operation.request().exhaust_allowed) {
    operation.client().keep(std::make_unique<StreamedCursor>(cursors, id));
    operation.reply_and_again();
  }
  return {};
}

struct KillCursorsRequest {
  bson::Value cursors;
};
const Arguments<KillCursorsRequest> kKillArguments{{"cursors", &KillCursorsRequest::cursors, Rule::kRequired}};

Status kill_cursors(Operation& operation, bson::Writer& reply) {
  TRY(const KillCursorsRequest request, kKillArguments.parse("killCursors", operation.request()));
  if (!operation.target().is_string()) {
    return error(Code::BadValue, "collection name has invalid type ", operation.target().type_name());
  }
  if (operation.target().as_string().empty()) {
    return error(Code::InvalidNamespace, "Invalid namespace specified '", operation.db(), ".'");
  }
  CHECK_OK(check_array("killCursors", "cursors", request.cursors));
  std::vector<std::int64_t> killed, not_found;
  for (const auto& [name, id] : request.cursors.as_document()) {
    if (!id.is(bson::Type::kInt64)) return wrong_type("killCursors", "cursors." + std::string(name), id, "long");
    (operation.server().cursors.kill(id.as_int64()) ? killed : not_found).push_back(id.as_int64());
  }
  const auto list = [&](std::string_view name, const std::vector<std::int64_t>& ids) {
    bson::ArrayWriter array = reply.array(name);
    for (const std::int64_t id : ids) array.push(id);
  };
  list("cursorsKilled", killed);
  list("cursorsNotFound", not_found);
  list("cursorsAlive", {});
  list("cursorsUnknown", {});
  return {};
}

const Register kGetMore{{
    .name = "getMore",
    .help = "Answers with the next batch of a cursor.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .takes_read_concern = true,
    .stable_api = true,
    .run = get_more,
}};

const Register kKillCursors{{
    .name = "killCursors",
    .help = "Ends cursors that nobody wants to read to their end.",
    .rights = Rights::kRead,
    .stable_api = true,
    .run = kill_cursors,
}};

}  // namespace
}  // namespace partita::commands
