// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "commands/settings/parameters.h"

namespace partita::commands {
namespace {

/// What the command's first field says: which parameters, and how much of each.
struct Form {
  bool all = false;
  bool details = false;
  std::optional<parameters::When> when;  ///< Only those that may be set then.
};

Status read_when(bson::Value value, Form& form) {
  if (!value.is_string()) return wrong_type("getParameter", "setAt", value, "string");
  if (value.as_string() == "startup") {
    form.when = parameters::When::kStartup;
  } else if (value.as_string() == "runtime") {
    form.when = parameters::When::kRuntime;
  } else {
    return error(Code::BadValue, "Enumeration value '", value.as_string(),
                 "' for field 'getParameter.setAt' is not a valid value.");
  }
  return {};
}

Result<Form> parse_form(bson::Value first) {
  Form form;
  if (first.is_string() && first.as_string() == "*") form.all = true;
  if (!first.is_document()) return form;
  for (const auto& [name, value] : first.as_document()) {
    if (name == "showDetails") {
      CHECK_OK(detail::read(form.details, value, "getParameter", name));
    } else if (name == "allParameters") {
      CHECK_OK(detail::read(form.all, value, "getParameter", name));
    } else if (name == "setAt") {
      CHECK_OK(read_when(value, form));
    } else {
      return unknown_field("getParameter", name);
    }
  }
  return form;
}

void write_parameter(bson::Writer& reply, const parameters::Parameter& parameter, const Form& form) {
  if (!form.details) {
    reply.add(parameter.about().name, parameter.value().get());
    return;
  }
  bson::Writer details = reply.document(parameter.about().name);
  details.add("value", parameter.value().get());
  details.add("settableAtRuntime", parameter.settable(parameters::When::kRuntime));
  details.add("settableAtStartup", parameter.settable(parameters::When::kStartup));
}

/// The other fields are names of parameters; what they hold does not matter. Unknown ones are passed over, since
/// clients ask for what another version may have.
Status get_parameter(Operation& op, bson::Writer& reply) {
  TRY(const Form form, parse_form(op.target()));
  const std::size_t before = reply.size();
  for (const parameters::Parameter* parameter : parameters::all()) {
    if (!form.all && !op.body().has(parameter->about().name)) continue;
    if (form.when && !parameter->settable(*form.when)) continue;
    write_parameter(reply, *parameter, form);
  }
  if (reply.size() == before) return error(Code::InvalidOptions, "no option found to get");
  return {};
}

const Register kGetParameter{{
    .name = "getParameter",
    .help = "Values of the server parameters named, or of all: {getParameter: '*'}.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .open_ended = true,
    .run = get_parameter,
}};

}  // namespace
}  // namespace partita::commands
