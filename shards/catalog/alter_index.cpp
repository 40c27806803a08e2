// SPDX-License-Identifier: GPL-3.0-or-later
//
// An index that is defined anew. Where its entries stay what they are, that is a row of the catalog; where they take another
// form, a new index is built and exchanged for the old one.
#include <algorithm>

#include "shards/catalog/change.h"
#include "shards/catalog/claim.h"
#include "shards/indexes/build.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

Status not_found(const Namespace& ns) { return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full()); }

}  // namespace

Status Catalog::alter_index(const Namespace& ns, const AlterIndex& alter, const Interrupt& interrupted) {
  Change change(*this);
  TRY(const auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
  if (collection == nullptr) return not_found(ns);
  TRY(const std::optional<IndexRow> altered, alter(*collection));
  if (!altered) return {};
  TRY(const IndexSpec spec, IndexSpec::parse(altered->definition));
  if (collection->sharding != nullptr) CHECK_OK(collection->sharding->check_unique(spec));
  change.exclude(*collection);
  CollectionRow row = state_.row(collection->uuid)->copy();
  for (IndexRow& index : row.indexes) {
    if (index.id == altered->id) index.definition = altered->definition.copy();
  }
  change.put(CollectionRow::key(collection->uuid), row.encode());
  return change.commit();
}

Status Catalog::rebuild_index(const Namespace& ns, const AlterIndex& alter, const Interrupt& interrupted) {
  Claim claim(*this);
  Specs fresh;
  std::uint32_t replaced = 0;
  {
    Change change(*this);
    TRY(auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
    if (collection == nullptr) return not_found(ns);
    TRY(const std::optional<IndexRow> altered, alter(*collection));
    if (!altered) return {};
    TRY(IndexSpec spec, IndexSpec::parse(altered->definition));
    if (collection->sharding != nullptr) CHECK_OK(collection->sharding->check_unique(spec));
    replaced = altered->id;
    spec.id = std::max(state_.row(collection->uuid)->next_index, next_index_id_);
    next_index_id_ = spec.id + 1;
    fresh.push_back(std::make_shared<const IndexSpec>(std::move(spec)));
    claim.take(std::move(collection));
  }
  const Interrupt go_on = [&]() -> Status {
    CHECK_OK(claim.check());
    return interrupted ? interrupted() : Status();
  };
  {
    IndexBuild build(store_, claim.collection(), fresh, go_on, nullptr);
    CHECK_OK(build.run());
    CHECK_OK(publish_build(build, claim.collection(), fresh, replaced));
  }
  remove_dropped_tables();
  return {};
}

}  // namespace partita::shards
