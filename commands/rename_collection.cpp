// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct RenameRequest {
  std::string_view to;
  bool drop_target = false;
};

const Arguments<RenameRequest> kArguments{
    {"to", &RenameRequest::to, Rule::kRequired},
    {"dropTarget", &RenameRequest::drop_target, Rule::kStrict},
    {"stayTemp", nullptr},  // Of old servers' temporary collections, which do not exist here.
};

/// A database, a dot and a collection.
bool is_whole(std::string_view ns) {
  const std::size_t dot = ns.find('.');
  return dot != 0 && dot != std::string_view::npos && dot + 1 < ns.size();
}

Status rename_collection(Operation& operation, bson::Writer&) {
  TRY(const RenameRequest request, kArguments.parse("renameCollection", operation.request()));
  if (!operation.target().is_string()) {
    return error(Code::TypeMismatch, "BSON field 'renameCollection' is the wrong type '", operation.target().type_name(),
                 "', expected type 'string'");
  }
  const std::string_view source = operation.target().as_string();
  if (!is_whole(source)) return error(Code::InvalidNamespace, "Invalid namespace specified '", source, "'");
  if (!is_whole(request.to)) return error(Code::InvalidNamespace, "Invalid target namespace: ", request.to);
  TRY(const shards::Namespace from, shards::Namespace::parse(source));
  const auto named = shards::Namespace::parse(request.to);
  if (!named.ok()) return error(Code::IllegalOperation, "error with target namespace: ", named.status().message());
  const shards::Namespace& to = *named;
  if (from == to) return error(Code::IllegalOperation, "Can't rename a collection to itself");
  if (from.is_system()) return error(Code::IllegalOperation, "error with source namespace: cannot write to ", from.full());
  if (to.is_system()) return error(Code::IllegalOperation, "error with target namespace: cannot write to ", to.full());
  const auto go_on = [&] { return operation.check_interrupt(); };
  return operation.server().store.catalog().rename(from, to, request.drop_target, go_on);
}

const Register kRenameCollection{{
    .name = "renameCollection",
    .help = "Gives a collection another name, in the same database or another one.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = rename_collection,
}};

}  // namespace
}  // namespace partita::commands
