// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/collection.h"

#include <algorithm>

namespace partita::shards {
namespace {

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::size_t Collection::slot_of(Bytes record_key) const {
  if (partitions.size() == 1) return 0;
  const auto behind = std::ranges::upper_bound(partitions, text(record_key), {},
                                               [](const PartitionSlot& slot) { return std::string_view(slot.min); });
  return static_cast<std::size_t>(behind - partitions.begin()) - 1;
}

const PartitionSlot& Collection::locate(Bytes record_key) const { return partitions[slot_of(record_key)]; }

Growth Collection::size() const {
  Growth size;
  for (const PartitionSlot& slot : partitions) size += slot.partition->counters().total();
  return size;
}

const Collection* CatalogSnapshot::find(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const Collection> CatalogSnapshot::share(const Uuid& uuid) const {
  for (const auto& [name, collection] : by_name_) {
    if (collection->uuid == uuid) return collection;
  }
  return nullptr;
}

std::shared_ptr<const Collection> CatalogSnapshot::share(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Collection>> CatalogSnapshot::all() const {
  std::vector<std::shared_ptr<const Collection>> all;
  for (const auto& [name, collection] : by_name_) all.push_back(collection);
  std::ranges::sort(all, {}, [](const auto& collection) { return std::string_view(collection->ns.full()); });
  return all;
}

std::vector<std::shared_ptr<const Collection>> CatalogSnapshot::collections(std::string_view db) const {
  std::vector<std::shared_ptr<const Collection>> of_db = all();
  std::erase_if(of_db, [&](const auto& collection) { return collection->ns.db() != db; });
  return of_db;
}

Status CatalogSnapshot::check_spelling(std::string_view db) const {
  const auto lower = [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  const Collection* other = nullptr;
  for (const auto& [name, collection] : by_name_) {
    const std::string_view theirs = collection->ns.db();
    if (theirs == db) return {};
    if (std::ranges::equal(theirs, db, {}, lower, lower)) other = collection.get();
  }
  if (other == nullptr) return {};
  return error(Code::DatabaseDifferCase, "db already exists with different case already have: [", other->ns.db(),
               "] trying to create [", db, "]");
}

}  // namespace partita::shards
