// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/change.h"

namespace partita::shards {
namespace {

bson::Document merged(bson::View options, bson::View fields) {
  return bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& option : options) {
      const bson::Value changed = fields[option.name];
      if (changed.missing()) out.add(option);
      else if (!changed.is_null()) out.add(option.name, changed);
    }
    for (const bson::Field& field : fields) {
      if (!field.value.is_null() && !options.has(field.name)) out.add(field);
    }
  });
}

}  // namespace

Status Catalog::set_options(const Namespace& ns, bson::View fields, const Interrupt& interrupted) {
  Change change(*this);
  TRY(const auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  change.exclude(*collection);
  CollectionRow row = state_.row(collection->uuid)->copy();
  row.options = merged(row.options, fields);
  change.put(CollectionRow::key(collection->uuid), row.encode());
  return change.commit();
}

}  // namespace partita::shards
