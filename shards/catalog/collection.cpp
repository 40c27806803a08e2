// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/collection.h"

#include <algorithm>

#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::size_t Collection::slot_of(Bytes record_key) const {
  if (partitions.size() == 1) return 0;
  const std::string_view key = text(record_key);
  if (heads.size() != partitions.size()) {
    const auto behind = std::ranges::upper_bound(partitions, key, {}, [](const PartitionSlot& slot) { return std::string_view(slot.min); });
    return static_cast<std::size_t>(behind - partitions.begin()) - 1;
  }
  const std::uint64_t head = head_of(key);
  const auto behind = std::ranges::upper_bound(heads, head);
  const std::size_t place = static_cast<std::size_t>(behind - heads.begin()) - 1;
  if (std::string_view(partitions[place].min) <= key) return place;  // The first min is empty.
  // Among those with the same head: there are many where a single logical key has been divided.
  const auto same = std::lower_bound(heads.begin(), behind, head) - heads.begin();
  const auto first = partitions.begin() + same;
  const auto above = std::upper_bound(first, partitions.begin() + static_cast<std::ptrdiff_t>(place), key,
                                      [](std::string_view sought, const PartitionSlot& slot) { return sought < slot.min; });
  return static_cast<std::size_t>(above - partitions.begin()) - 1;
}

void Collection::note_heads() {
  heads.clear();
  for (const PartitionSlot& slot : partitions) heads.push_back(head_of(slot.min));
}

const PartitionSlot& Collection::locate(Bytes record_key) const { return partitions[slot_of(record_key)]; }

bool Collection::is_clustered_as(const Collection& other) const {
  if (sharding == other.sharding) return true;
  if (sharding == nullptr || other.sharding == nullptr) return false;
  return bson::equal(bson::Value::of(sharding->key.pattern()), bson::Value::of(other.sharding->key.pattern()));
}

Status order_changed(const Namespace& ns) {
  return error(Code::QueryPlanKilled, "the collection ", ns.full(), " has got another shard key since the query began");
}

Collection::Run Collection::run_of(std::size_t place) const {
  const SegmentId segment = partitions[place].partition->segment();
  const auto shared = [&](std::size_t at) { return partitions[at].partition->segment() == segment; };
  Run run{place, place + 1};
  while (run.first > 0 && shared(run.first - 1)) --run.first;
  while (run.end < partitions.size() && shared(run.end)) ++run.end;
  return run;
}

std::vector<Collection::Run> Collection::runs() const {
  std::vector<Run> runs;
  for (std::size_t at = 0; at < partitions.size(); at = runs.back().end) runs.push_back(run_of(at));
  return runs;
}

bson::View Collection::clustered_index() const {
  const bson::Value index = options["clusteredIndex"];
  return index.is_document() ? index.as_document() : bson::View();
}

std::string_view Collection::id_index_name() const {
  const bson::View clustered = clustered_index();
  return clustered.empty() ? "_id_" : clustered["name"].as_string();
}

bool Collection::records_are_id_index() const {
  const bool among_them = std::ranges::any_of(indexes, [](const auto& spec) { return spec->is_id_key(); });
  return !among_them && clustered_index().empty();
}

std::size_t Collection::index_count() const {
  return indexes.size() + (records_are_id_index() ? 1 : 0) + (lists_shard_key() ? 1 : 0);
}

bool Collection::lists_shard_key() const {
  const auto same = [&](const auto& spec) {
    return sharding->is_own_index(spec->definition["key"]) && !spec->sparse && spec->collation == nullptr && spec->keys->filter() == nullptr;
  };
  return sharding != nullptr && sharding->has_index() && std::ranges::none_of(indexes, same);
}

bool Sharding::is(const Sharding& other) const {
  return unique == other.unique && bson::equal(bson::Value::of(key.pattern()), bson::Value::of(other.key.pattern()));
}

Status Sharding::check_unique(const IndexSpec& index) const {
  if (!index.unique && !index.prepare_unique) return {};
  if (!begins_with_key(index)) {
    return error(Code::CannotCreateIndex, "cannot create unique index over ", bson::to_shell(index.definition["key"]),
                 " with shard key pattern ", bson::to_shell(key.pattern()));
  }
  // Partitions are divided by the bytes of texts: those that a collation takes for one may lie apart.
  if (index.collation != nullptr) {
    return error(Code::CannotCreateIndex, "cannot create unique index over ", bson::to_shell(index.definition["key"]),
                 " with a collation in a sharded collection: the collation must be {locale: \"simple\"}");
  }
  const auto is_id = [](const IndexSpec::Part& part) { return part.path == "_id"; };
  if (!divides_keys() || std::ranges::any_of(index.parts, is_id)) return {};
  return error(Code::CannotCreateIndex, "cannot create unique index over ", bson::to_shell(index.definition["key"]),
               " with splitLogicalPartitions: documents of one shard key may lie in several partitions, so that only an index "
               "with _id among its fields can be unique");
}

bool Sharding::begins_with_key(const IndexSpec& index) const {
  const auto fields = key.fields();
  const auto same = [](const auto& field, const IndexSpec::Part& part) { return field.path.text() == part.path; };
  return index.parts.size() >= fields.size() && std::equal(fields.begin(), fields.end(), index.parts.begin(), same);
}

std::shared_ptr<const Sharding> Sharding::share() const {
  return std::make_shared<const Sharding>(copy());
}

bson::Document Sharding::encode() const {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("key", key.pattern());
    row.add("unique", unique);
    row.add("epoch", epoch);
    if (split_logical) row.add("splitLogicalPartitions", true);
    if (unique_id) row.add("uniqueId", true);
    if (!claims.empty()) row.add("claims", claims);
    if (no_balance) row.add("noBalance", true);
    if (no_auto_merge) row.add("noAutoMerge", true);
    if (!allow_migrations) row.add("allowMigrations", false);
  });
}

std::string claims_table(bson::ObjectId epoch) {
  std::string name = "claims-";
  for (const std::uint8_t byte : epoch.bytes) {
    for (const int digit : {byte >> 4, byte & 15}) name.push_back("0123456789abcdef"[digit]);
  }
  return name;
}

Sharding Sharding::copy() const {
  return {key.copy(), unique, name, epoch, split_logical, no_balance, no_auto_merge, allow_migrations, unique_id, claims};
}

bool Sharding::is_own_index(bson::Value index_key) const { return bson::equal(bson::Value::of(key.pattern()), index_key); }

Result<Sharding> Sharding::decode(bson::View row) {
  if (!row["key"].is_document()) return error(Code::DataModifiedByRepair, "damaged catalog row: 'sharding' without its key");
  Sharding sharding;
  TRY(sharding.key, query::ShardKey::parse(row["key"].as_document()));
  sharding.unique = row["unique"].truthy();
  if (row["epoch"].is(bson::Type::kObjectId)) sharding.epoch = row["epoch"].as_object_id();
  sharding.split_logical = row["splitLogicalPartitions"].truthy();
  if (row["claims"].is_string()) sharding.claims = row["claims"].as_string();
  sharding.unique_id = row["uniqueId"].truthy() || !sharding.claims.empty();
  sharding.no_balance = row["noBalance"].truthy();
  sharding.no_auto_merge = row["noAutoMerge"].truthy();
  sharding.allow_migrations = row["allowMigrations"].missing() || row["allowMigrations"].truthy();
  sharding.name = default_index_name(sharding.key.pattern());
  return sharding;
}

std::optional<CappedLimits> CappedLimits::of(bson::View options) {
  if (!options["capped"].truthy()) return std::nullopt;
  CappedLimits limits;
  limits.bytes = options["size"].exact_int64().value_or(0);
  if (const auto most = options["max"].exact_int64()) limits.documents = *most;
  return limits;
}

Growth Collection::size() const {
  Growth size;
  for (const PartitionSlot& slot : partitions) size += slot.partition->counters().total();
  return size;
}

const Collection* CatalogSnapshot::find(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second.get();
}

const ViewRow* CatalogSnapshot::view(std::string_view full_name) const {
  const auto found = views->find(full_name);
  return found == views->end() ? nullptr : found->second.get();
}

Status CatalogSnapshot::check_no_view(const Namespace& ns) const {
  if (view(ns.full()) == nullptr) return {};
  return error(Code::CommandNotSupportedOnView, "Namespace ", ns.full(), " is a view, not a collection");
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

std::vector<std::reference_wrapper<const Collection>> CatalogSnapshot::capped() const {
  std::vector<std::reference_wrapper<const Collection>> capped;
  for (const auto& [name, collection] : by_name_) {
    if (collection->capped) capped.push_back(*collection);
  }
  return capped;
}

std::vector<std::shared_ptr<const Collection>> CatalogSnapshot::collections(std::string_view db) const {
  std::vector<std::shared_ptr<const Collection>> of_db = all();
  std::erase_if(of_db, [&](const auto& collection) { return collection->ns.db() != db; });
  return of_db;
}

std::set<std::string_view> CatalogSnapshot::databases() const {
  std::set<std::string_view> databases;
  for (const auto& [name, collection] : by_name_) databases.insert(collection->ns.db());
  for (const auto& [name, view] : *views) databases.insert(std::string_view(name).substr(0, name.find('.')));
  return databases;
}

Status CatalogSnapshot::check_spelling(std::string_view db) const {
  const auto lower = [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  std::string_view other;
  for (const std::string_view theirs : databases()) {
    if (theirs == db) return {};
    if (std::ranges::equal(theirs, db, {}, lower, lower)) other = theirs;
  }
  if (other.empty()) return {};
  return error(Code::DatabaseDifferCase, "db already exists with different case already have: [", other,
               "] trying to create [", db, "]");
}

}  // namespace partita::shards
