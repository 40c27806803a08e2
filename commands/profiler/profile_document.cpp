// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/profile_document.h"

#include "commands/client_connection.h"
#include "commands/plan_summary.h"
#include "commands/shown_operation.h"
#include "commands/wall_time.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using bson::add_number;

/// Of a reply by OP_MSG: header, flags and the section's kind.
constexpr std::size_t kFrameBytes = 21;

/// "127.0.0.1:53122" without the port.
std::string_view address_of(const wire::Peer& peer) {
  const std::string_view remote = peer.remote;
  return peer.unix_socket ? remote : remote.substr(0, remote.rfind(':'));
}

bool answers_with_batch(const Command& command) {
  return command.name == "find" || command.name == "getMore" || command.name == "aggregate";
}

/// Of a cursor whose batch is in the reply.
void write_cursor(const FinishedOperation& finished, bson::Writer& out) {
  const Operation& operation = finished.operation;
  const std::int64_t left = finished.reply.at_path("cursor.id").exact_int64().value_or(0);
  const bson::Value asked = operation.target();
  if (left != 0 || asked.is(bson::Type::kInt64)) out.add("cursorid", left != 0 ? left : asked.as_int64());
  if (left == 0 && finished.status.ok()) out.add("cursorExhausted", true);
}

void write_looked_at(const OperationStats& stats, bson::Writer& out) {
  if (stats.plan_summary.empty()) return;
  add_number(out, "keysExamined", keys_examined(stats));
  add_number(out, "docsExamined", stats.documents.docs_examined);
}

/// What findAndModify tells in its reply.
void write_changed(const FinishedOperation& finished, bson::Writer& out) {
  const bson::Value last = finished.reply["lastErrorObject"];
  if (!last.is_document()) return;
  const std::int64_t count = last.as_document()["n"].exact_int64().value_or(0);
  const bson::Value updated = last.as_document()["updatedExisting"];
  if (updated.missing()) return add_number(out, "ndeleted", count);
  add_number(out, "nMatched", updated.truthy() ? count : 0);
  add_number(out, "nModified", finished.operation.stats().documents.updated);
  add_number(out, "nUpserted", last.as_document().has("upserted") ? 1 : 0);
}

}  // namespace

std::optional<shards::Namespace> profiled_namespace(const Operation& operation) {
  bson::Value named = operation.target();
  if (named.is_document() && !named.as_document().empty()) {
    named = named.as_document().begin()->value;  // What is explained.
  } else if (named.is(bson::Type::kInt64)) {
    named = operation.body()["collection"];  // Of the cursor.
  } else if (operation.command().target != Target::kCollection) {
    return std::nullopt;
  }
  if (!named.is_string()) return std::nullopt;
  return shards::Namespace(operation.db(), named.as_string());
}

void write_profile_failure(const Status& status, bson::Writer& out) {
  if (status.ok()) return;
  out.add("ok", 0.0);
  out.add("errMsg", status.message());
  out.add("errName", code_name(status.code()));
  out.add("errCode", static_cast<std::int32_t>(status.code()));
}

void write_profile_replanned(const Operation& operation, bson::Writer& out) {
  if (operation.replan_reason().empty()) return;
  out.add("replanned", true);
  out.add("replanReason", operation.replan_reason());
}

void write_profile_end(const ProfileEnd& end, bson::Writer& out) {
  add_number(out, "millis", std::chrono::duration_cast<std::chrono::milliseconds>(end.took).count());
  if (!end.plan_summary.empty()) out.add("planSummary", end.plan_summary);
  if (end.plan != nullptr) end.plan->write_stats(end.walked, out);
  out.add("ts", now_as_date());
  out.add("client", address_of(end.client.peer()));
  if (const std::string_view name = end.client.application_name(); !name.empty()) out.add("appName", name);
  out.array("allUsers").close();
  out.add("user", "");
}

namespace {

/// What is planned once more: of a getMore what has opened its cursor.
bson::View planned_command(const Operation& operation) {
  const bson::View origin = operation.stats().originating_command.view();
  return origin.empty() ? operation.body() : origin;
}

ProfilePlan::Walked walked(const FinishedOperation& finished) {
  const OperationStats& stats = finished.operation.stats();
  const std::string_view name = finished.operation.command().name;
  ProfilePlan::Walked walked{.keys = keys_examined(stats), .documents = stats.documents.docs_examined};
  walked.millis = std::chrono::duration_cast<std::chrono::milliseconds>(finished.took).count();
  walked.ended = finished.reply.at_path("cursor.id").exact_int64().value_or(0) == 0;
  if (name == "find") walked.returned = stats.documents.returned;
  if (name == "count") walked.used = finished.reply["n"].exact_int64();
  if (name == "findAndModify") {
    const bson::Value last = finished.reply["lastErrorObject"];
    walked.used = last.is_document() ? last.as_document()["n"].exact_int64() : std::nullopt;
    walked.returned = finished.reply["value"].is_document() ? 1 : 0;
    walked.modified = stats.documents.updated;
  }
  return walked;
}

}  // namespace

bson::Document profile_document(const FinishedOperation& finished, const shards::Namespace& ns) {
  const Operation& operation = finished.operation;
  const OperationStats& stats = operation.stats();
  // Its end changes nothing of it: another one of the same client is planned.
  const ProfilePlan plan(const_cast<Operation&>(operation), finished.status.ok() ? planned_command(operation) : bson::View(), stats.plan_summary);
  return bson::Document::build([&](bson::Writer& out) {
    out.add("op", operation_kind(&operation.command()));
    out.add("ns", ns.full());
    out.add("command", shown_command(operation.body()).view());
    if (!stats.originating_command.view().empty()) out.add("originatingCommand", stats.originating_command.view());
    const bool batch = answers_with_batch(operation.command());
    if (batch) write_cursor(finished, out);
    write_looked_at(stats, out);
    write_profile_replanned(operation, out);
    write_changed(finished, out);
    if (operation.command().name == "insert" && finished.status.ok()) add_number(out, "ninserted", stats.documents.inserted);
    out.add("numYield", std::int32_t{0});
    if (batch && finished.status.ok()) add_number(out, "nreturned", stats.documents.returned);
    plan.write_hashes(out);
    out.document("locks").close();
    write_profile_failure(finished.status, out);
    add_number(out, "responseLength", static_cast<std::int64_t>(finished.reply.size() + kFrameBytes));
    out.add("protocol", operation.request().legacy ? "op_query" : "op_msg");
    // The plan of a cursor has done more than this batch.
    const bool of_it_all = stats.originating_command.view().empty();
    write_profile_end({operation.client(), finished.took, stats.plan_summary, of_it_all ? &plan : nullptr, walked(finished)}, out);
  });
}

}  // namespace partita::commands
