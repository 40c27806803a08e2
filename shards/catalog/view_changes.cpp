// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/change.h"

namespace partita::shards {

Status Catalog::create_view(const Namespace& ns, bson::View options) {
  Change change(*this);
  const auto snapshot = share();
  if (snapshot->find(ns.full()) != nullptr) return error(Code::NamespaceExists, "Collection ", ns.full(), " already exists.");
  if (const ViewRow* there = snapshot->view(ns.full())) {
    if (there->options.view() == options) return {};
    return error(Code::NamespaceExists, "A view already exists. NS: ", ns.full());
  }
  CHECK_OK(snapshot->check_spelling(ns.db()));
  change.put(ViewRow::key(ns.full()), ViewRow{bson::Document(options)}.encode());
  return change.commit();
}

Status Catalog::alter_view(const Namespace& ns, bson::View options) {
  Change change(*this);
  if (share()->view(ns.full()) == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  change.put(ViewRow::key(ns.full()), ViewRow{bson::Document(options)}.encode());
  return change.commit();
}

Result<bool> Catalog::drop_view(const Namespace& ns) {
  Change change(*this);
  if (share()->view(ns.full()) == nullptr) return false;
  change.erase(ViewRow::key(ns.full()));
  CHECK_OK(change.commit());
  return true;
}

}  // namespace partita::shards
