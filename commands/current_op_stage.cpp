// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "commands/current_operations.h"
#include "commands/server.h"
#include "commands/source_stages.h"

namespace partita::commands {
namespace {

/// Options that mongod knows, and what each does here.
struct Option {
  std::string_view name;
  bool OperationFilter::* member = nullptr;  ///< nullptr: of no consequence; the row says why.
};
constexpr std::array kOptions{
    Option{"idleConnections", &OperationFilter::idle_connections},
    Option{"idleCursors", &OperationFilter::idle_cursors},
    Option{"allUsers"},         // There are no users to tell apart.
    Option{"idleSessions"},     // Idle sessions hold nothing.
    Option{"localOps"},         // The router and its one node are the same process.
    Option{"truncateOps"},      // Long commands are always cut short.
    Option{"backtrace"},        // For latches that this server does not have.
    Option{"targetAllNodes"},   // There is one.
};

Result<OperationFilter> parse(bson::Value specification) {
  if (!specification.is_document()) {
    return error(Code::TypeMismatch, "$currentOp options must be specified in an object, but found: ",
                 specification.type_name());
  }
  OperationFilter filter;
  for (const auto& [name, value] : specification.as_document()) {
    const auto option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end()) {
      return error(Code::FailedToParse, "Unrecognized option '", name, "' in $currentOp stage.");
    }
    if (!value.is_bool()) {
      return error(Code::TypeMismatch, "The '", name, "' parameter of the $currentOp stage must be a boolean value, but found: ",
                   value.type_name());
    }
    if (option->member != nullptr) filter.*(option->member) = value.as_bool();
  }
  return filter;
}

Result<std::vector<bson::Document>> current_op(Operation& operation, const shards::Namespace& ns,
                                               bson::Value specification) {
  if (ns.db() != "admin" || !operation.target().is_number()) {
    return error(Code::InvalidNamespace, "$currentOp must be run against the 'admin' database with {aggregate: 1}");
  }
  TRY(const OperationFilter filter, parse(specification));
  return current_operations(operation.server(), filter);
}

const RegisterSourceStage kCurrentOp{{
    .name = "$currentOp",
    .help = "What runs just now: one document for each operation, and for idle connections and cursors if they are wanted too.",
    .run = current_op,
}};

}  // namespace
}  // namespace partita::commands
