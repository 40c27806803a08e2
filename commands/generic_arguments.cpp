// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/generic_arguments.h"

#include <algorithm>
#include <cstring>

#include "commands/arguments.h"
#include "commands/concerns.h"
#include "wire/bson/clamped_number.h"

namespace partita::commands {
namespace {

constexpr std::uint8_t kUuidSubtype = 4;

Status read_database(bson::Value value, GenericArguments& out) {
  if (!value.is_string()) return wrong_type("OP_MSG", "$db", value, "string");
  if (!out.db.empty()) return error(Code{40413}, "BSON field 'OP_MSG.$db' is a duplicate field");
  out.db = value.as_string();
  return {};
}

/// Whose session it is: SHA-256 of a user's name, from who speaks for many. The same number of two owners' is two sessions.
Status read_owner(bson::Value uid, std::string_view where, GenericArguments& out) {
  constexpr std::size_t kDigest = 32;
  if (!uid.is(bson::Type::kBinary)) return wrong_type(where, "uid", uid, "binData");
  const std::string_view digest = uid.as_binary().bytes;
  if (digest.size() != kDigest) return error(Code{12}, "Unsupported SHA256Hash length: ", digest.size());
  std::memcpy(&out.session_owner, digest.data(), sizeof out.session_owner);
  return {};
}

Status read_session(bson::Value lsid, GenericArguments& out) {
  constexpr std::string_view kWhere = "OperationSessionInfo.lsid";
  if (!lsid.is_document()) return wrong_type("OperationSessionInfo", "lsid", lsid, "object");
  for (const auto& [name, value] : lsid.as_document()) {
    if (name == "id") {
      if (!value.is(bson::Type::kBinary) || value.as_binary().subtype != kUuidSubtype ||
          value.as_binary().bytes.size() != sizeof(shards::Uuid)) {
        return wrong_type(kWhere, name, value, "binData of subtype UUID");
      }
      std::memcpy(out.session.emplace().data(), value.as_binary().bytes.data(), sizeof(shards::Uuid));
    } else if (name == "txnUUID" || name == "txnNumber") {
      return error(Code::InvalidOptions, "Internal sessions are not supported outside of transactions");
    } else if (name == "uid") {
      CHECK_OK(read_owner(value, kWhere, out));
    } else {
      return unknown_field(kWhere, name);
    }
  }
  if (!out.session) return missing_field(kWhere, "id");
  return {};
}

Status read_transaction(bson::Value value, GenericArguments& out) {
  if (!value.is(bson::Type::kInt64)) return wrong_type("OperationSessionInfo", "txnNumber", value, "long");
  if (value.as_int64() < 0) return error(Code::InvalidOptions, "txnNumber must not be negative: ", value.as_int64());
  out.transaction = value.as_int64();
  return {};
}

/// A bool that is one.
Status read_bool(std::string_view where, std::string_view name, bson::Value value, std::optional<bool>& to) {
  if (!value.is_bool()) return wrong_type(where, name, value, "bool");
  to = value.as_bool();
  return {};
}
Status read_autocommit(bson::Value value, GenericArguments& out) {
  return read_bool("OperationSessionInfo", "autocommit", value, out.autocommit);
}
Status read_start_transaction(bson::Value value, GenericArguments& out) {
  return read_bool("OperationSessionInfo", "startTransaction", value, out.start_transaction);
}

/// Two commands look at the field themselves before it is looked at for all of them.
Status check_own_max_time(std::string_view command, bson::Value value) {
  const bool has_own = command == "aggregate" || command == "getMore";
  if (!has_own || value.is_null()) return {};
  if (!value.is_number()) return wrong_type(command, "maxTimeMS", value, "[long, int, decimal, double']");
  const std::int64_t ms = bson::clamped_int64(value);
  if (command != "aggregate" || ms >= 0) return {};
  return error(Code{51024}, "BSON field 'maxTimeMS' value must be >= 0, actual value '", ms, "'");
}

Status read_max_time(bson::Value value, GenericArguments& out) {
  CHECK_OK(check_own_max_time(out.command, value));
  if (!value.is_number()) return error(Code::BadValue, "maxTimeMS must be a number");
  const std::int64_t ms = bson::clamped_int64(value);
  if (ms < 0 || ms > INT32_MAX) return error(Code::BadValue, ms, " value for maxTimeMS is out of range [0, 2147483647]");
  if (value.is(bson::Type::kDouble) && !value.exact_int64()) return error(Code::BadValue, "maxTimeMS has non-integral value");
  out.max_time_ms = ms;
  return {};
}

Status read_write_concern(bson::Value value, GenericArguments& out) {
  TRY(out.write_concern, parse_write_concern(value));
  out.given_write_concern = out.write_concern;
  return {};
}

Status read_read_concern(bson::Value value, GenericArguments& out) {
  TRY(const ReadConcern concern, parse_read_concern(value));
  out.read_concern = concern.level;
  out.read_concern_document = concern.document;
  return {};
}

Status read_comment(bson::Value value, GenericArguments& out) {
  out.comment = value;
  return {};
}

Status read_preference(bson::Value value, GenericArguments&) {
  if (!value.is_document()) {
    return error(Code::TypeMismatch, "$readPreference has incorrect type: expected object but got ", value.type_name());
  }
  return check_read_preference(value.as_document());
}

Status check_cluster_time(bson::Value value, GenericArguments&) {
  if (!value.is_document()) return error(Code{10065}, "invalid parameter: expected an object ($clusterTime)");
  const bson::Value time = value.as_document()["clusterTime"];
  const bson::Value signature = value.as_document()["signature"];
  if (time.missing()) return error(Code::NoSuchKey, "Missing expected field \"clusterTime\"");
  if (!time.is(bson::Type::kTimestamp)) return wrong_field("clusterTime", "timestamp", time);
  if (signature.missing()) return error(Code::NoSuchKey, "Missing expected field \"signature\"");
  return signature.is_document() ? Status() : wrong_field("signature", "object", signature);
}

constexpr std::string_view kApi = "APIParametersFromClient";

Status read_api_version(bson::Value value, GenericArguments& out) {
  if (!value.is_string()) return wrong_type(kApi, "apiVersion", value, "string");
  if (value.as_string() != "1") return error(Code::APIVersionError, "API version must be \"1\"; found: ", value.as_string());
  out.names_api = true;
  return {};
}
Status read_api_strict(bson::Value value, GenericArguments& out) {
  return read_bool(kApi, "apiStrict", value, out.api_strict);
}
Status read_api_deprecation_errors(bson::Value value, GenericArguments& out) {
  return read_bool(kApi, "apiDeprecationErrors", value, out.api_deprecation_errors);
}

/// The frequent ones first: the table is searched from its beginning for every field of every command.
constexpr GenericArgument kArguments[] = {
    {"$db", "The database.", read_database},
    {"lsid", "The session: cursors belong to it, retryable writes are numbered in it.", read_session},
    {"txnNumber", "The number of a retryable write; refused for other commands.", read_transaction},
    {"maxTimeMS", "How long the operation may take.", read_max_time},
    {"writeConcern", "When the reply may go out; refused for commands that write nothing.", read_write_concern},
    {"readConcern",
     "Checked. Up to `linearizable` every level is kept by the one copy that there is; `snapshot` is refused.",
     read_read_concern},
    {"$readPreference", "Checked. There is one copy, so that all preferences mean the same one.", read_preference},
    {"$clusterTime", "Checked. The clock of this server is the only one.", check_cluster_time},
    {"comment", "Shown by the log and by currentOp.", read_comment},
    {"apiVersion", "Checked. Version 1 is the only one.", read_api_version},
    {"apiStrict", "Refuses commands that are not of the named version.", read_api_strict},
    {"apiDeprecationErrors", "Checked. Nothing of version 1 is deprecated.", read_api_deprecation_errors},
    {"autocommit", "Refused: there are no transactions of several statements yet.", read_autocommit},
    {"startTransaction", "Refused: there are no transactions of several statements yet.", read_start_transaction},
};

const GenericArgument* find_argument(std::string_view name) {
  const auto* row = std::ranges::find(kArguments, name, &GenericArgument::name);
  return row == std::end(kArguments) ? nullptr : row;
}

/// A transaction's statements must not be taken for statements that stand alone: they would be committed one by one.
Status check_session_arguments(const GenericArguments& given) {
  const auto refuse = [](std::string_view why) { return error(Code::InvalidOptions, why); };
  if (given.transaction && !given.session) return refuse("Transaction number requires a session ID to also be specified");
  if (given.start_transaction && !given.autocommit) {
    return refuse("'startTransaction' field requires 'autocommit' field to also be specified");
  }
  if (!given.autocommit) return {};
  if (!given.transaction) return refuse("'autocommit' field requires a transaction number to also be specified");
  if (*given.autocommit) return refuse("Specifying autocommit=true is not allowed.");
  if (given.start_transaction == false) return refuse("Specifying startTransaction=false is not allowed.");
  return error(Code::OperationNotSupportedInTransaction,
               "Transactions of several statements are not supported yet. Nothing has been changed.");
}

}  // namespace

std::span<const GenericArgument> generic_arguments() { return kArguments; }

bool is_generic_argument(std::string_view field) { return find_argument(field) != nullptr; }

Result<GenericArguments> GenericArguments::parse(const wire::Request& request) {
  GenericArguments arguments;
  arguments.db = request.legacy_database;
  auto field = request.body.begin();
  if (field == request.body.end()) return error(Code::FailedToParse, "the command is an empty document");
  arguments.command = field->name;
  for (++field; field != request.body.end(); ++field) {
    const GenericArgument* row = find_argument(field->name);
    if (row != nullptr) CHECK_OK(row->read(field->value, arguments));
  }
  if (arguments.db.empty()) return error(Code{40571}, "OP_MSG requests require a $db argument");
  CHECK_OK(check_session_arguments(arguments));
  if (!arguments.names_api && (arguments.api_strict || arguments.api_deprecation_errors)) {
    return error(Code{4886600}, "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion");
  }
  return arguments;
}

Status GenericArguments::check(const Command& command) const {
  if (transaction && !command.retryable_write) {
    if (command.rights == Rights::kNone) return error(Code{50889}, "It is illegal to provide a txnNumber for this command");
    return error(Code::NotARetryableWriteCommand, "txnNumber may only be provided for retryable write commands. ",
                 command.name, " is not one.");
  }
  if (given_write_concern && !command.takes_write_concern) {
    return error(Code::InvalidOptions, command.name, " does not support writeConcern");
  }
  if (!read_concern.empty() && read_concern != "local" && !command.takes_read_concern) {
    return error(Code::InvalidOptions, "Command ", command.name, " does not support readConcern ", read_concern);
  }
  if (read_concern == "snapshot") {  // It would span several commands.
    return error(Code::NotImplemented, "readConcern level snapshot is not supported yet");
  }
  if (api_strict.value_or(false) && !command.stable_api) {
    return error(Code::APIStrictError, "Provided apiStrict:true, but the command ", command.name, " is not in API Version 1");
  }
  return {};
}

}  // namespace partita::commands
