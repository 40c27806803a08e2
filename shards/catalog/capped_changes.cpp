// SPDX-License-Identifier: GPL-3.0-or-later
//
// A collection becomes a capped one: its last documents are copied into a new one, beside which nobody writes to the old one,
// and the new one takes its name in one change. A crash before that leaves the old one as it was, and the copy goes at the next
// start, for it says that it is temporary.
#include "shards/catalog/change.h"
#include "shards/catalog/claim.h"
#include "shards/router/copy_documents.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

constexpr std::string_view kTemporary = "temp";

FailPoint capped_copied{"cappedCopied", "A collection that becomes a capped one has been copied, and is still there."};

bson::Document without(bson::View options, std::string_view left_out) {
  return bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& option : options) {
      if (option.name != left_out) out.add(option);
    }
  });
}

bson::Document temporary(bson::View options) {
  return bson::Document::build([&](bson::Writer& out) {
    out.elements(options);
    out.add(kTemporary, true);
  });
}

}  // namespace

Status Catalog::make_capped(const Namespace& ns, const CappedOptions& options, const Interrupt& interrupted) {
  Claim claim(*this, Code::OperationFailed, "convertToCapped");
  {
    Change change(*this);
    TRY(auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
    if (collection == nullptr) return error(Code::NamespaceNotFound, "source collection ", ns.full(), " does not exist");
    if (collection->sharding != nullptr) return error(Code::IllegalOperation, "a sharded collection cannot be capped: ", ns.full());
    claim.take(std::move(collection));
  }
  const std::shared_ptr<const Collection>& source = claim.collection();
  const Interrupt go_on = [&]() -> Status {
    CHECK_OK(claim.check());
    return interrupted ? interrupted() : Status();
  };
  const bson::Document wanted = options(*source);
  const Namespace copy(ns.db(), detail::join("tmp", store_.random().next(), ".convertToCapped"));
  CHECK_OK(create(copy, temporary(wanted)));
  Status status = replace_by_copy(source, copy, wanted, go_on);
  if (!status.ok()) CHECK_OK(drop(copy));
  remove_dropped_tables();
  return status;
}

Status Catalog::replace_by_copy(const std::shared_ptr<const Collection>& source, const Namespace& copy, bson::View options,
                                const Interrupt& go_on) {
  Exclusion exclusion(*source);
  CHECK_OK(copy_last_documents(store_, source, copy, options["size"].exact_int64().value_or(0), go_on));
  CHECK_OK(capped_copied.hit());
  Change change(*this);
  const auto copied = share()->share(copy.full());
  if (copied == nullptr) return error(Code::NamespaceNotFound, "the copy is not there any more: ", copy.full());
  change.exclude(std::move(exclusion));
  change.exclude(*copied);
  change.erase(*source);
  CollectionRow row = state_.row(copied->uuid)->copy();
  row.ns = source->ns.full();
  row.options = without(row.options, kTemporary);
  change.put(CollectionRow::key(copied->uuid), row.encode());
  return change.commit();
}

Status Catalog::drop_temporary() {
  for (const auto& collection : share()->all()) {
    if (collection->options[kTemporary].truthy()) CHECK_OK(drop(collection->ns));
  }
  return {};
}

}  // namespace partita::shards
