// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/fail_points.h"

#include <algorithm>

#include "commands/client_connection.h"

namespace partita::commands {
namespace {

bool names_command(bson::Value names, const Command& command) {
  if (!names.is_array()) return false;
  for (const bson::Field& element : names.as_document()) {
    if (!element.value.is_string()) continue;
    const std::string_view name = element.value.as_string();
    if (name == command.name || std::ranges::find(command.aliases, name) != command.aliases.end()) return true;
  }
  return false;
}

bool is_namespace(const Operation& operation, std::string_view wanted) {
  if (operation.command().target != Target::kCollection) return wanted == operation.db();
  const Result<shards::Namespace> ns = operation.target_namespace();
  return ns.ok() && ns->full() == wanted;
}

bool concerns(bson::View data, const Operation& operation, std::string_view application) {
  if (operation.command().name == "configureFailPoint") return false;  // Else nobody could switch it off again.
  const bson::Value app = data["appName"];
  if (app.is_string() && !app.as_string().empty() && app.as_string() != application) return false;
  const bson::Value ns = data["namespace"];
  if (ns.is_string() && !is_namespace(operation, ns.as_string())) return false;
  return data["failAllCommands"].truthy() || names_command(data["failCommands"], operation.command());
}

bool does_something(bson::View data, const Operation& operation) {
  if (data.has("errorCode") || data["closeConnection"].truthy() || data["blockConnection"].truthy()) return true;
  return data.has("writeConcernError") && operation.command().rights == Rights::kWrite;
}

Status bad_extra(Code code, Code why, std::string_view what) {
  return error(why, "Error parsing extra info for ", code_name(code), " :: caused by :: ", what);
}

/// What replies tell beside the code: MongoDB knows for each code what that may be, and drops all else.
Result<bson::Document> extra_info(Code code, bson::View given) {
  bson::Document kept;
  if (code == Code::DuplicateKey) {
    for (const char* name : {"keyPattern", "keyValue"}) {
      if (!given[name].is_document()) return bad_extra(code, Code{10065}, "invalid parameter: expected an object ()");
    }
    return bson::Document::build([&](bson::Writer& info) {
      for (const char* name : {"keyPattern", "keyValue"}) info.add(name, given[name]);
    });
  }
  if (code != Code::DocumentValidationFailure) return kept;
  const bson::Value info = given["errInfo"];
  if (!info.is_document()) {
    return bad_extra(code, Code{4878100}, "DocumentValidationFailureInfo must have a field 'errInfo' of type object");
  }
  return bson::Document::build([&](bson::Writer& to) { to.add("errInfo", info); });
}

Status failure_of(bson::View data) {
  const auto number = data["errorCode"].exact_int64();
  if (!number || *number == 0) return {};
  const auto code = static_cast<Code>(*number);
  Status status = error(code, "Failing command via 'failCommand' failpoint");
  const bson::Value extra = data["errorExtraInfo"];
  if (extra.missing()) {
    if (code != Code::DuplicateKey) return status;
    return error(Code{40671}, "Missing required extra info for error code DuplicateKey");
  }
  if (!extra.is_document()) {
    return error(Code::TypeMismatch, "\"errorExtraInfo\" had the wrong type. Expected object, found ", extra.type_name());
  }
  TRY(const bson::Document info, extra_info(code, extra.as_document()));
  if (info.view().empty()) return status;
  const auto bytes = info.view().bytes();
  return std::move(status).with_details({bytes.begin(), bytes.end()});
}

}  // namespace

shards::FailPoint fail_command{"failCommand", "Commands, by name: errors, closed connections, delays."};
shards::FailPoint max_time_always_times_out{"maxTimeAlwaysTimeOut", "Every command with maxTimeMS runs out of time."};
shards::FailPoint max_time_never_times_out{"maxTimeNeverTimeOut", "No command runs out of time."};

std::optional<Fault> Fault::pick(const Operation& operation) {
  const std::string_view application = operation.client().application_name();
  const auto data = fail_command.fire([&](bson::View data) {
    return concerns(data, operation, application) && does_something(data, operation);
  });
  if (data == nullptr) return std::nullopt;
  Fault fault(data->view());
  fault.closes_ = (*data)["closeConnection"].truthy();
  fault.failure_ = failure_of(data->view());
  if (!(*data)["blockConnection"].truthy()) return fault;
  const auto ms = (*data)["blockTimeMS"].exact_int64();
  if (!ms) {
    fault.failure_ = error(Code::InvalidOptions, "must specify 'blockTimeMS' when 'blockConnection' is true");
  } else if (*ms < 0) {
    fault.failure_ = error(Code::InvalidOptions, "'blockTimeMS' must be non-negative");
  } else {
    fault.delay_ = std::chrono::milliseconds(*ms);
  }
  return fault;
}

}  // namespace partita::commands
