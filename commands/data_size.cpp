// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct DataSizeRequest {
  std::optional<bson::View> key_pattern;
  std::optional<bson::View> min;
  std::optional<bson::View> max;
  bool estimate = false;
};
const Arguments<DataSizeRequest> kArguments{
    {"keyPattern", &DataSizeRequest::key_pattern},
    {"min", &DataSizeRequest::min},
    {"max", &DataSizeRequest::max},
    {"estimate", &DataSizeRequest::estimate},
    {"maxSize", nullptr},     // Where to stop counting: there is nothing to count, the size is known.
    {"maxObjects", nullptr},  // Likewise.
};

/// Unlike other commands this one takes the full name, "db.collection".
Result<shards::Namespace> parse_namespace(bson::Value target) {
  if (!target.is_string()) return wrong_type("dataSize", "dataSize", target, "string");
  Result<shards::Namespace> ns = shards::Namespace::parse(target.as_string());
  if (ns.ok()) return ns;
  return error(Code::InvalidNamespace, "Invalid namespace specified '", target.as_string(), "'");
}

Status data_size(Operation& op, bson::Writer& reply) {
  TRY(const DataSizeRequest request, kArguments.parse("dataSize", op.request()));
  TRY(const shards::Namespace ns, parse_namespace(op.target()));
  if (request.key_pattern || request.min || request.max) {
    return error(Code::CommandNotSupported, "dataSize of a range is not supported: leave keyPattern, min and max out");
  }
  CHECK_OK(op.server().store.catalog().snapshot().check_no_view(ns));
  shards::Growth size;
  if (const auto collection = op.server().store.catalog().share()->share(ns.full())) size = collection->size();
  reply.add("estimate", request.estimate);
  reply.add("size", size.bytes);
  reply.add("numObjects", size.documents);
  reply.add("millis", std::int32_t{0});
  return {};
}

const Register kDataSize{{
    .name = "dataSize",
    .aliases = {"datasize"},
    .help = "Documents and bytes of a collection, from counters that every write keeps.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .run = data_size,
}};

}  // namespace
}  // namespace partita::commands
