// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/operation.h"

#include <algorithm>

#include "commands/arguments.h"
#include "commands/client_connection.h"
#include "commands/server.h"
#include "commands/slow_log.h"

namespace partita::commands {
namespace {

Result<shards::Uuid> parse_session(bson::Value lsid) {
  if (!lsid.is_document()) return wrong_type("OperationSessionInfo", "lsid", lsid, "object");
  const bson::Value id = lsid.as_document()["id"];
  constexpr std::uint8_t kUuid = 4;
  if (!id.is(bson::Type::kBinary) || id.as_binary().subtype != kUuid || id.as_binary().bytes.size() != 16) {
    return error(Code::TypeMismatch, "BSON field 'OperationSessionInfo.lsid.id' is the wrong type '", id.type_name(),
                 "', expected type 'binData' of subtype UUID");
  }
  shards::Uuid uuid;
  std::memcpy(uuid.data(), id.as_binary().bytes.data(), uuid.size());
  return uuid;
}

Result<WriteConcern> parse_write_concern(bson::Value value) {
  if (!value.is_document()) return wrong_type("writeConcern", "writeConcern", value, "object");
  WriteConcern concern;
  for (const auto& [name, field] : value.as_document()) {
    if (name == "w") {
      if (field.is_string()) {
        if (field.as_string() != "majority") {
          return error(Code::UnknownReplWriteConcern, "No write concern mode named '", field.as_string(),
                       "' found in replica set configuration");
        }
        concern.journaled = true;
      } else if (const auto nodes = field.exact_int64()) {
        if (*nodes < 0 || *nodes > 50) return error(Code::FailedToParse, "w has to be a non-negative number and not greater than 50; found: ", *nodes);
        if (*nodes > 1) return error(Code::UnsatisfiableWriteConcern, "Not enough data-bearing nodes");
        concern.acknowledged = *nodes != 0;
      } else {
        return error(Code::FailedToParse, "w has to be a number, string, or object; found: ", field.type_name());
      }
    } else if (name == "j" || name == "fsync") {
      if (!field.is_bool() && !field.is_number()) return wrong_type("writeConcern", name, field, "bool");
      concern.journaled |= field.truthy();
    } else if (name != "wtimeout" && name != "provenance" && name != "getLastError") {
      return error(Code{40415}, "BSON field 'writeConcern.", name, "' is an unknown field.");
    }
  }
  return concern;
}

Status parse_read_concern(bson::Value value, GenericArguments& out) {
  if (!value.is_document()) return error(Code::FailedToParse, "readConcern field should be an object");
  constexpr std::string_view kKnown[] = {"level", "afterClusterTime", "atClusterTime", "afterOpTime", "provenance"};
  for (const bson::Field& field : value.as_document()) {
    if (std::ranges::find(kKnown, field.name) == std::end(kKnown)) {
      return error(Code::InvalidOptions, "Unrecognized option in readConcern: ", field.name);
    }
  }
  out.read_concern_document = value.as_document();
  const bson::Value level = out.read_concern_document["level"];
  if (level.missing()) return {};
  if (!level.is_string()) return wrong_type("readConcern", "level", level, "string");
  out.read_concern = level.as_string();
  constexpr std::string_view kLevels[] = {"local", "available", "majority", "linearizable", "snapshot"};
  for (const std::string_view known : kLevels) {
    if (out.read_concern == known) return {};
  }
  return error(Code::FailedToParse, "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'; found: '", out.read_concern, "'");
}

Status read_argument(const bson::Field& field, GenericArguments& out) {
  const auto& [name, value] = field;
  if (name == "$db") {
    if (!value.is_string()) return wrong_type("OP_MSG", "$db", value, "string");
    out.db = value.as_string();
  } else if (name == "lsid") {
    TRY(out.session, parse_session(value));
  } else if (name == "txnNumber") {
    if (!value.is(bson::Type::kInt64)) return wrong_type("OperationSessionInfo", "txnNumber", value, "long");
    if (value.as_int64() < 0) return error(Code::InvalidOptions, "txnNumber must not be negative: ", value.as_int64());
    out.transaction = value.as_int64();
  } else if (name == "maxTimeMS") {
    const auto ms = value.exact_int64();
    if (!value.is_number()) return error(Code::BadValue, "maxTimeMS must be a number");
    if (!ms) return error(Code::BadValue, "maxTimeMS has non-integral value");
    if (*ms < 0 || *ms > INT32_MAX) return error(Code::BadValue, *ms, " value for maxTimeMS is out of range [0, 2147483647]");
    out.max_time_ms = *ms;
  } else if (name == "writeConcern") {
    TRY(out.write_concern, parse_write_concern(value));
  } else if (name == "readConcern") {
    return parse_read_concern(value, out);
  } else if (name == "comment") {
    out.comment = value;
  }
  return {};
}

}  // namespace

Result<GenericArguments> GenericArguments::parse(const wire::Request& request) {
  GenericArguments arguments;
  arguments.db = request.legacy_database;
  auto field = request.body.begin();
  if (field == request.body.end()) return error(Code::FailedToParse, "the command is an empty document");
  for (++field; field != request.body.end(); ++field) CHECK_OK(read_argument(*field, arguments));
  if (arguments.db.empty()) return error(Code{40571}, "OP_MSG requests require a $db argument");
  return arguments;
}

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

bool Operation::is_slow() const {
  return commands::is_slow(std::chrono::steady_clock::now() - client_.arrived());
}

Status Operation::wait_until(SteadyTime deadline, std::function<void(std::function<void()> wake)> subscribe) {
  client_.set_waiting({deadline, std::move(subscribe)});
  next_ = wire::Next::kWait;
  return {};
}

Status Operation::check_interrupt() const {
  if (client_.peer().gone.load(std::memory_order_relaxed)) {
    return error(Code::ClientDisconnect, "operation was interrupted because a client disconnected");
  }
  if (server_.stopping.load(std::memory_order_relaxed)) {
    return error(Code::InterruptedAtShutdown, "interrupted at shutdown");
  }
  if (client_.current().killed.load(std::memory_order_relaxed)) {
    return error(Code::Interrupted, "operation was interrupted");
  }
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
    return error(Code::MaxTimeMSExpired, "operation exceeded time limit");
  }
  return {};
}

}  // namespace partita::commands
