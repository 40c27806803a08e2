// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collection_options.h"
#include "commands/config_views.h"
#include "commands/server.h"
#include "shards/router/copy_documents.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

struct ConvertRequest {
  std::optional<std::int64_t> size;
  bson::Value to;
};

const Arguments<ConvertRequest> kConvertArguments{{"size", &ConvertRequest::size, Rule::kRequired}};
const Arguments<ConvertRequest> kCloneArguments{
    {"size", &ConvertRequest::size, Rule::kRequired},
    {"toCollection", &ConvertRequest::to},
};

Status check_size(std::int64_t size) {
  if (size < 1) return error(Code::BadValue, "size has to be > 0: ", size);
  if (size > std::int64_t{1} << 50) return error(Code::BadValue, "size cannot exceed 1 PB: ", size);
  return {};
}

/// The options of a collection, capped at so many bytes. If it had been capped before, its number of documents stays limited.
bson::Document capped_options(const shards::Collection& collection, std::int64_t bytes) {
  const AskedCap cap{bytes, {}};
  return bson::Document::build([&](bson::Writer& out) {
    out.add("capped", true);
    cap.write(out);
    for (const bson::Field& option : collection.options.view()) {
      const bool replaced = option.name == "capped" || option.name == "size" || option.name == "clusteredIndex" ||
                            option.name == "expireAfterSeconds";
      if (!replaced) out.add(option);
    }
  });
}

Status convert_to_capped(Operation& operation, bson::Writer&) {
  TRY(const ConvertRequest request, kConvertArguments.parse("convertToCapped", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  CHECK_OK(check_size(*request.size));
  if (ns.is_system()) return error(Code::BadValue, "Invalid namespace: ", ns.full());
  CHECK_OK(check_no_config_view(ns));
  const auto go_on = [&] { return operation.check_interrupt(); };
  const auto options = [&](const shards::Collection& now) { return capped_options(now, *request.size); };
  return operation.server().store.catalog().make_capped(ns, options, go_on);
}

Status clone_as_capped(Operation& operation, bson::Writer&) {
  TRY(const ConvertRequest request, kCloneArguments.parse("cloneCollectionAsCapped", operation.request()));
  TRY(const shards::Namespace from, operation.target_namespace(Code::TypeMismatch));
  if (!request.to.is_string()) return error(Code::TypeMismatch, "'toCollection' must be of type String");
  TRY(const shards::Namespace to, shards::Namespace::make(operation.db(), request.to.as_string()));
  CHECK_OK(check_size(*request.size));
  if (to.is_system()) return error(Code::InvalidNamespace, "cannot write to ", to.full());
  CHECK_OK(check_no_config_view(to));
  shards::Store& store = operation.server().store;
  const auto snapshot = store.catalog().share();
  const auto source = snapshot->share(from.full());
  if (source == nullptr) return error(Code::NamespaceNotFound, "source collection ", from.full(), " does not exist");
  if (snapshot->find(to.full()) != nullptr) {
    return error(Code::NamespaceExists, "cloneCollectionAsCapped failed - destination collection ", to.full(),
                 " already exists. source collection: ", from.full());
  }
  const bson::Document options = capped_options(*source, *request.size);
  TRY(const auto made, store.catalog().create(to, options));
  const auto go_on = [&] { return operation.check_interrupt(); };
  Status status = shards::copy_last_documents(store, source, to, made->capped->bytes, go_on);
  if (!status.ok()) CHECK_OK(store.catalog().drop(to));
  return status;
}

const Register kConvertToCapped{{
    .name = "convertToCapped",
    .help = "Makes a capped collection of one, with its last documents and without its indexes. Its writers wait meanwhile.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .run = convert_to_capped,
}};

const Register kCloneCollectionAsCapped{{
    .name = "cloneCollectionAsCapped",
    .help = "Copies the last documents of a collection into a new one that is capped.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .run = clone_as_capped,
}};

}  // namespace
}  // namespace partita::commands
