// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "commands/settings/parameters.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

/// The parameters named, all of them known: a misspelt one changes none of the others.
Result<std::vector<bson::Field>> parse(const wire::Request& request) {
  std::vector<bson::Field> wanted;
  auto field = request.body.begin();
  for (++field; field != request.body.end(); ++field) {
    const parameters::Parameter* parameter = parameters::find(field->name);
    if (parameter == nullptr && is_generic_argument(field->name)) continue;
    if (parameter == nullptr) {
      return error(Code::InvalidOptions, "attempted to set unrecognized parameter [", field->name,
                   "], use help:true to see options ");
    }
    wanted.push_back(*field);
  }
  if (wanted.empty()) return error(Code::InvalidOptions, "no option found to set, use help:true to see options ");
  return wanted;
}

Status set_parameter(Operation& op, bson::Writer& reply) {
  TRY(const std::vector<bson::Field> wanted, parse(op.request()));
  for (const bson::Field& field : wanted) {
    const bson::OwnedValue before = parameters::find(field.name)->value();
    CHECK_OK(parameters::set_at_runtime(field.name, field.value));
    if (&field == &wanted.front()) reply.add("was", before.get());
    log::info(log::Component::kCommand, 23435, "Successfully set parameter to value",
              {{"parameterName", field.name}, {"newValue", field.value}, {"oldValue", before.get()}});
  }
  return {};
}

const Register kSetParameter{{
    .name = "setParameter",
    .help = "Changes server parameters while the server runs; answers with what the first one was.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .open_ended = true,
    .run = set_parameter,
}};

}  // namespace
}  // namespace partita::commands
