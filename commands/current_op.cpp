// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/current_operations.h"
#include "commands/server.h"
#include "query/match/matcher.h"

namespace partita::commands {
namespace {

struct CurrentOpRequest {
  OperationFilter which;
  bson::Document filter;
};

/// What is no option is a condition on the rows: {currentOp: 1, secs_running: {$gt: 3}}.
Result<CurrentOpRequest> parse(Operation& op) {
  CurrentOpRequest request;
  bson::Buffer conditions;
  {
    bson::Writer filter(conditions);
    auto field = op.body().begin();
    for (++field; field != op.body().end(); ++field) {
      if (field->name == "$all") {
        CHECK_OK(detail::read(request.which.idle_connections, field->value, "currentOp", "$all"));
      } else if (field->name == "$ownOps") {
        bool own = false;
        CHECK_OK(detail::read(own, field->value, "currentOp", "$ownOps"));
        if (own) request.which.only = &op.client();
      } else if (!is_generic_argument(field->name)) {
        filter.add(*field);
      }
    }
  }
  request.filter = bson::Document(std::move(conditions));
  return request;
}

Status current_op(Operation& op, bson::Writer& reply) {
  TRY(const CurrentOpRequest request, parse(op));
  TRY(const query::Matcher matcher, query::Matcher::parse(request.filter.view()));
  bson::ArrayWriter rows = reply.array("inprog");
  for (const bson::Document& row : current_operations(op.server(), request.which)) {
    if (matcher.matches(row.view())) rows.push(row.view());
  }
  return {};
}

const Register kCurrentOp{{
    .name = "currentOp",
    .help = "What runs just now, for whom and for how long; other fields than $all and $ownOps are a filter.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .open_ended = true,
    .run = current_op,
}};

}  // namespace
}  // namespace partita::commands
