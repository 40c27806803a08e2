// SPDX-License-Identifier: GPL-3.0-or-later
// How bulkWrite's operations are written: {insert: 0, document: {...}}, {update: 1, filter: {...}, updateMods: {...}},
// {delete: 0, filter: {...}}. The number is a place in nsInfo.
#include "commands/bulk_write.h"

#include "commands/collation.h"

namespace partita::commands {
namespace {

constexpr std::string_view kOps = "bulkWrite.ops";

/// The fields behind the first, which names the operation.
template <class Read>
Status read_fields(bson::View operation, Read&& read) {
  auto field = operation.begin();
  for (++field; field != operation.end(); ++field) CHECK_OK(read(field->name, field->value));
  return {};
}

Result<InsertStatement> parse_insert(bson::View operation) {
  InsertStatement statement;
  bool has_document = false;
  CHECK_OK(read_fields(operation, [&](std::string_view name, bson::Value value) -> Status {
    if (name != "document") return unknown_field(kOps, name);
    if (!value.is_document()) return wrong_type(kOps, name, value, "object");
    statement.document = value.as_document();
    has_document = true;
    return {};
  }));
  if (!has_document) return missing_field(kOps, "document");
  return statement;
}

/// What updates and deletes have in common; false for a field that is none of these.
template <class Statement>
Result<bool> read_shared(Statement& statement, bool& has_filter, std::string_view name, bson::Value value) {
  if (name == "filter") {
    if (!value.is_document()) return wrong_type(kOps, name, value, "object");
    statement.filter = value.as_document();
    has_filter = true;
  } else if (name == "multi") {
    CHECK_OK(detail::check_bool(value, kOps, name));
    CHECK_OK(detail::read(statement.multi, value, kOps, name));
  } else if (name == "hint") {
    CHECK_OK(check_hint_type(value));
    statement.hint = value;
  } else if (name == "collation") {
    CHECK_OK(read_collation(statement.collation, value, kOps));
  } else {
    return false;
  }
  return true;
}

Result<UpdateStatement> parse_update(bson::View operation) {
  UpdateStatement statement;
  bool has_filter = false;
  CHECK_OK(read_fields(operation, [&](std::string_view name, bson::Value value) -> Status {
    TRY(const bool shared, read_shared(statement, has_filter, name, value));
    if (shared) return {};
    TRY(const bool option, statement.read_option(kOps, name, value));
    if (option) return {};
    if (name == "constants") return detail::read(statement.constants, value, kOps, name);
    if (name != "updateMods") return unknown_field(kOps, name);
    if (value.is_array()) CHECK_OK(query::PipelineUpdate::check_shape(value.as_document()));
    statement.update = value;
    return {};
  }));
  if (!has_filter) return missing_field(kOps, "filter");
  if (statement.update.missing()) return missing_field(kOps, "updateMods");
  return statement;
}

Result<DeleteStatement> parse_delete(bson::View operation) {
  DeleteStatement statement;
  bool has_filter = false;
  CHECK_OK(read_fields(operation, [&](std::string_view name, bson::Value value) -> Status {
    TRY(const bool shared, read_shared(statement, has_filter, name, value));
    return shared ? Status() : unknown_field(kOps, name);
  }));
  if (!has_filter) return missing_field(kOps, "filter");
  return statement;
}

Result<BulkOperation> parse_operation(bson::View written, std::size_t namespaces) {
  const auto first = written.begin();
  if (first == written.end()) return error(Code::FailedToParse, kOps, " has an empty operation");
  BulkOperation operation;
  std::int64_t place = 0;
  CHECK_OK(detail::read(place, first->value, kOps, first->name));
  if (first->name == "insert") {
    TRY(operation.statement, parse_insert(written));
  } else if (first->name == "update") {
    TRY(operation.statement, parse_update(written));
  } else if (first->name == "delete") {
    TRY(operation.statement, parse_delete(written));
  } else {
    return error(Code::FailedToParse, kOps, " has an operation '", first->name, "': it must begin with insert, update or delete");
  }
  if (place < 0 || static_cast<std::size_t>(place) >= namespaces) {
    return error(Code::BadValue, "BulkWrite ops entry ", first->name, ": ", place, " has an invalid nsInfo index.");
  }
  operation.ns = static_cast<std::size_t>(place);
  return operation;
}

Result<shards::Namespace> parse_namespace(bson::View info) {
  constexpr std::string_view kNsInfo = "bulkWrite.nsInfo";
  std::string_view full;
  for (const auto& [name, value] : info) {
    if (name == "collectionUUID" || name == "encryptionInformation" || name == "isTimeseriesNamespace") {
      return error(Code::NotImplemented, kNsInfo, ".", name, " is not supported");
    }
    if (name != "ns") return unknown_field(kNsInfo, name);
    CHECK_OK(detail::read(full, value, kNsInfo, name));
  }
  if (!info.has("ns")) return missing_field(kNsInfo, "ns");
  TRY(shards::Namespace ns, shards::Namespace::parse(full));
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  return ns;
}

}  // namespace

Result<std::vector<shards::Namespace>> parse_namespaces(const Documents& ns_info) {
  return parse_statements<shards::Namespace>(ns_info, parse_namespace);
}

Result<std::vector<BulkOperation>> parse_operations(const Documents& ops, std::size_t namespaces) {
  CHECK_OK(check_batch_size(ops.count()));
  return parse_statements<BulkOperation>(ops, [&](bson::View written) { return parse_operation(written, namespaces); });
}

}  // namespace partita::commands
