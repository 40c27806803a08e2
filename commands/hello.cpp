// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first words of every connection, and afterwards a driver's way of watching the server: a hello that carries the
// topologyVersion last seen is held back until that changes or maxAwaitTimeMS is over, and with exhaustAllowed one
// request is answered so again and again.
#include <algorithm>
#include <array>

#include "commands/arguments.h"
#include "commands/client_connection.h"
#include "commands/client_metadata.h"
#include "commands/server.h"
#include "commands/settings/server_parameters.h"
#include "commands/version.h"
#include "commands/wall_time.h"
#include "wire/bson/validate.h"
#include "wire/log/log.h"
#include "wire/message/header.h"

namespace partita::commands {
namespace {

/// A stream of hellos never runs faster than this, whatever the client asks for.
constexpr std::chrono::milliseconds kShortestStreamInterval{10};

/// How long a client wants to be kept waiting for news.
struct Await {
  TopologyVersion known;
  std::chrono::milliseconds patience;
};

Result<std::optional<Await>> parse_await(Operation& op) {
  const bson::Value known = op.body()["topologyVersion"];
  const bson::Value patience = op.body()["maxAwaitTimeMS"];
  if (known.missing() && patience.missing()) {
    if (!op.request().exhaust_allowed) return std::optional<Await>();
    return error(Code{51756}, "An isMaster or hello request with exhaust must specify 'maxAwaitTimeMS'");
  }
  if (patience.missing()) return error(Code{31368}, "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'");
  if (known.missing()) return error(Code{31368}, "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'");
  Await await;
  TRY(await.known, TopologyVersion::parse(known));
  std::int64_t ms = 0;
  CHECK_OK(detail::read(ms, patience, op.name(), "maxAwaitTimeMS"));
  if (ms < 0) return error(Code{51024}, "BSON field 'maxAwaitTimeMS' value must be >= 0, actual value '", ms, "'");
  await.patience = std::chrono::milliseconds(std::min<std::int64_t>(ms, INT32_MAX));
  return std::optional(await);
}

/// True when the client knows how things stand, so that there is nothing to tell it yet.
Result<bool> must_wait(Operation& op, const Await& await) {
  const TopologyVersion& current = op.server().topology;
  if (op.client().answering_again()) return true;  // What it knew once is what it was told since.
  if (await.known.process != current.process) return false;
  if (await.known.counter > current.counter) {
    return error(Code{51764}, "Received a topology version with counter: ", await.known.counter,
                 " which is greater than the server topology version counter: ", current.counter);
  }
  return await.known.counter == current.counter;
}

Status wait_for_news(Operation& op, const Await& await) {
  std::chrono::milliseconds patience = await.patience;
  if (op.request().exhaust_allowed) patience = std::max(patience, kShortestStreamInterval);
  SteadyTime until = std::chrono::steady_clock::now() + patience;
  if (op.deadline()) until = std::min(until, *op.deadline());
  return op.wait_until(until, {});
}

Status take_metadata(Operation& op, bson::Value metadata) {
  const bool first = op.client().greet();
  if (metadata.missing()) return {};
  if (!first) {
    return error(Code::ClientMetadataCannotBeMutated,
                 "The client metadata document may only be sent in the first hello");
  }
  CHECK_OK(check_client_metadata(metadata));
  op.client().set_metadata(bson::Document(metadata.as_document()));
  log::info(log::Component::kNetwork, 51800, "client metadata",
            {{"remote", op.client().peer().remote},
             {"client", op.client().name()},
             {"doc", op.client().metadata().view()}});
  return {};
}

/// Names what both sides know; without the field, what was agreed on before.
Status write_compression(Operation& op, bson::Writer& reply) {
  const bson::Value wanted = op.body()["compression"];
  if (!wanted.missing()) {
    if (!wanted.is_array()) return wrong_type(op.name(), "compression", wanted, "array");
    for (const auto& [place, name] : wanted.as_document()) {
      if (!name.is_string()) return wrong_type(op.name(), partita::detail::join("compression.", place), name, "string");
    }
    op.client().set_compressors(wire::negotiate(wanted.as_document(), op.server().settings.net.compressors));
  }
  if (op.client().compressors().empty()) return {};
  bson::ArrayWriter names = reply.array("compression");
  for (const wire::Compressor one : op.client().compressors()) names.push(wire::compressor_name(one));
  return {};
}

/// A user's name, of whom the client asks how to log in. There are no users, but only a name is an answerable question.
Status check_user(bson::Value user) {
  if (user.is_string()) {
    if (user.as_string().find('.') != std::string_view::npos) return {};
    return error(Code::BadValue, "UserName must contain a '.' separated database.user pair");
  }
  if (!user.is_document()) return wrong_type("hello", "saslSupportedMechs", user, "[string, object']");
  for (const char* part : {"user", "db"}) {
    if (!user.as_document()[part].is_string()) return error(Code::BadValue, "UserName must contain a field named: ", part);
  }
  return {};
}

/// Other servers of a cluster say which protocols they speak.
Status check_internal_client(bson::Value client) {
  constexpr std::string_view kWhere = "hello.internalClient";
  if (client.missing() || client.is_null()) return {};
  if (!client.is_document()) return wrong_type("hello", "internalClient", client, "object");
  for (const auto& [name, value] : client.as_document()) {
    if (name != "minWireVersion" && name != "maxWireVersion") return unknown_field(kWhere, name);
    if (!value.is_number()) return wrong_type(kWhere, name, value, "[long, int, decimal, double']");
  }
  for (const char* name : {"maxWireVersion", "minWireVersion"}) {
    if (client.as_document()[name].missing()) return missing_field(kWhere, name);
  }
  return {};
}

bool is_flag(bson::Value value) { return value.is_bool() || value.is_number(); }
constexpr std::string_view kFlag = "[bool, long, int, decimal, double']";

/// What may stand in a greeting and has no effect here beyond being what it claims to be.
struct CheckedField {
  std::string_view name;
  bool (*is_right)(bson::Value value);
  std::string_view type;
};
constexpr std::array kCheckedFields{
    CheckedField{"helloOk", is_flag, kFlag},
    CheckedField{"forShell", is_flag, kFlag},
    CheckedField{"loadBalanced", [](bson::Value value) { return value.is_bool(); }, "bool"},
    CheckedField{"hostInfo", [](bson::Value value) { return value.is_string(); }, "string"},
    CheckedField{"speculativeAuthenticate", [](bson::Value value) { return value.is_document(); }, "object"},
};

Status check_fields(bson::View body) {
  for (const CheckedField& field : kCheckedFields) {
    const bson::Value value = body[field.name];
    if (!value.missing() && !value.is_null() && !field.is_right(value)) return wrong_type("hello", field.name, value, field.type);
  }
  const bson::Value user = body["saslSupportedMechs"];
  if (!user.missing()) CHECK_OK(check_user(user));
  return check_internal_client(body["internalClient"]);
}

Status write_reply(Operation& op, bson::Writer& reply) {
  const bson::Value hello_ok = op.body()["helloOk"];
  if (!hello_ok.missing() && !hello_ok.is_null()) reply.add("helloOk", true);  // Also to who says no, as MongoDB does.
  reply.add(op.name() == "hello" ? "isWritablePrimary" : "ismaster", true);
  reply.add("msg", "isdbgrid");
  op.server().topology.write(reply);
  reply.add("maxBsonObjectSize", static_cast<std::int32_t>(bson::kMaxDocumentSize));
  reply.add("maxMessageSizeBytes", static_cast<std::int32_t>(wire::kMaxMessageSize));
  reply.add("maxWriteBatchSize", kMaxWriteBatchSize);
  reply.add("localTime", now_as_date());
  reply.add("logicalSessionTimeoutMinutes", static_cast<std::int32_t>(parameters::session_timeout_minutes.get()));
  reply.add("connectionId", static_cast<std::int32_t>(op.client().peer().connection_id));
  reply.add("minWireVersion", kMinWireVersion);
  reply.add("maxWireVersion", kMaxWireVersion);
  reply.add("readOnly", false);
  return write_compression(op, reply);
}

/// Fields that this does not know are left alone: newer drivers put new ones into their first message to any server.
Status hello(Operation& op, bson::Writer& reply) {
  CHECK_OK(check_fields(op.body()));
  TRY(const std::optional<Await> await, parse_await(op));
  const bool resumed = op.client().resumed_from().has_value();
  if (!resumed && !op.client().answering_again()) CHECK_OK(take_metadata(op, op.body()["client"]));
  if (resumed) CHECK_OK(op.check_interrupt());
  if (await && !resumed) {
    TRY(const bool wait, must_wait(op, *await));
    if (wait) return wait_for_news(op, *await);
  }
  CHECK_OK(write_reply(op, reply));
  if (await && op.request().exhaust_allowed) op.reply_and_again();
  return {};
}

const Register kHello{{
    .name = "hello",
    .aliases = {"isMaster", "ismaster"},
    .help = "Says what the server is and what it can do; with topologyVersion and maxAwaitTimeMS, once that changes.",
    .rights = Rights::kNone,
    .stable_api = true,
    .open_ended = true,
    .run = hello,
}};

}  // namespace
}  // namespace partita::commands
