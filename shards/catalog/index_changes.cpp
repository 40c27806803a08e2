// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making and dropping indexes. A build may take minutes: it runs without the change lock, under a claim on its collection
// that keeps other changes away from that one alone, and takes the lock only to begin and to publish.
#include <algorithm>

#include "shards/catalog/change.h"
#include "shards/catalog/claim.h"
#include "shards/catalog/filter_depth.h"
#include "shards/indexes/build.h"
#include "shards/indexes/entries.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

using Specs = std::vector<std::shared_ptr<const IndexSpec>>;

Status not_found(const Namespace& ns) { return error(Code::NamespaceNotFound, "ns not found: ", ns.full()); }

Result<IndexSpec> parse_new(bson::View definition, const query::Collation& inherited) {
  Result<IndexSpec> spec = IndexSpec::parse(definition, inherited);
  Status status = spec.status();
  const bson::Value filter = definition["partialFilterExpression"];
  if (status.ok() && filter.is_document()) status = check_filter_depth(filter.as_document());
  if (status.ok()) return spec;
  return std::move(status).with_context("Error in specification " + bson::to_shell(bson::Value::of(definition)) + " :: caused by :: ");
}

Result<std::vector<IndexSpec>> parse(const std::vector<bson::View>& definitions, const query::Collation& inherited) {
  std::vector<IndexSpec> specs;
  for (const bson::View definition : definitions) {
    TRY(IndexSpec spec, parse_new(definition, inherited));
    specs.push_back(std::move(spec));
  }
  return specs;
}

Status other_options(const IndexSpec& there, const IndexSpec& wanted) {
  return error(Code::IndexOptionsConflict, "An equivalent index already exists with ",
               there.name == wanted.name ? "the same name but different options" : "a different name and options",
               ". Requested index: ", bson::to_shell(wanted.definition), ", existing index: ", bson::to_shell(there.definition));
}

/// A query does not say which index its $text is for: there is one at most.
Status second_text_index(const IndexSpec& there, const IndexSpec& wanted) {
  if (bson::equal(there.definition["key"], wanted.definition["key"])) return other_options(there, wanted);
  return error(Code::CannotCreateIndex, "only one text index per collection allowed, found existing text index \"", there.name, "\"");
}

/// Whether an index that is there is the wanted one; an error where it is in its way.
Result<bool> is_same(const IndexSpec& there, const IndexSpec& wanted) {
  const bool same_name = there.name == wanted.name;
  const auto engine = [](const IndexSpec& spec) { return spec.definition["storageEngine"]; };
  const bool same_engine = engine(there).missing() || engine(wanted).missing() ? engine(there).missing() == engine(wanted).missing()
                                                                              : bson::equal(engine(there), engine(wanted));
  const bool same_options = there.expire_after == wanted.expire_after && there.prepare_unique == wanted.prepare_unique && same_engine;
  if (there.is_equivalent(wanted)) {
    if (same_options && same_name) return true;
    if (same_options) return error(Code::IndexOptionsConflict, "Index already exists with a different name: ", there.name);
    return other_options(there, wanted);
  }
  if (there.keys->text() != nullptr && wanted.keys->text() != nullptr) return second_text_index(there, wanted);
  if (!same_name) return false;
  return error(Code::IndexKeySpecsConflict,
               "An existing index has the same name as the requested index. When index names are not specified, they "
               "are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ",
               bson::to_shell(wanted.definition), ", existing index: ", bson::to_shell(there.definition));
}

/// What a sharded collection has without an index: there is nothing to build.
Result<bool> is_settled_by_sharding(const Collection& collection, bson::View definition) {
  if (collection.sharding == nullptr || !definition["key"].is_document()) return false;
  const Sharding& sharding = *collection.sharding;
  const bson::View key = definition["key"].as_document();
  const bool unique = definition["unique"].truthy();
  if (!sharding.is_own_index(bson::Value::of(key)) || !collection.lists_shard_key()) return false;
  const bson::Value collation = definition["collation"];
  const bool is_simple = collation.is_document() ? collation.as_document()["locale"].is_string() && collation.as_document()["locale"].as_string() == "simple"
                                                 : collection.collation == nullptr;
  const bool other = unique || !is_simple || definition["sparse"].truthy() || definition.has("partialFilterExpression") ||
                     definition.has("expireAfterSeconds") || definition["hidden"].truthy() || definition["prepareUnique"].truthy();
  if (other) return false;
  const bson::Value name = definition["name"];
  if (name.is_string() && name.as_string() != sharding.name) {
    return error(Code::IndexOptionsConflict, "Index already exists with a different name: ", sharding.name);
  }
  return true;
}

/// `clustered: true` names the index that a collection has had from the start: there is nothing to build.
Result<bool> is_settled_by_clustering(const Collection* there, bson::View definition) {
  const bson::Value clustered = definition["clustered"];
  if (clustered.missing()) return false;
  if (!clustered.truthy()) return error(Code{6492800}, "Value '", bson::to_shell(clustered), "' for field 'clustered' is invalid");
  if (!definition["unique"].truthy()) {
    return error(Code::CannotCreateIndex, "The 'unique' field is required when 'clustered' is specified");
  }
  if (there == nullptr) return error(Code{6100900}, "Cannot implicitly create a new collection with createIndex 'clustered' option");
  const bson::View own = there->clustered_index();
  const bool same = !own.empty() && bson::equal(own["key"], definition["key"]) && bson::equal(own["name"], definition["name"]);
  if (same) return true;
  return error(Code{6243700}, "Cannot create index with option 'clustered' that does not match an existing clustered index");
}

/// The name under which the records are listed as an index is taken.
Status check_name(const Collection& collection, const IndexSpec& wanted) {
  if (const bson::View clustered = collection.clustered_index(); !clustered.empty() && collection.id_index_name() == wanted.name) {
    return error(Code{6100906}, "Cannot create an index where the name matches the clusteredIndex but the key does not - indexSpec: ",
                 bson::to_shell(wanted.definition), ", clusteredIndex: ", bson::to_shell(clustered));
  }
  const Sharding* sharding = collection.sharding.get();
  if (!collection.lists_shard_key() || sharding->name != wanted.name) return {};
  return error(Code::IndexKeySpecsConflict,
               "An existing index has the same name as the requested index. When index names are not specified, they "
               "are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ",
               bson::to_shell(wanted.definition), ", existing index: { v: 2, key: ", bson::to_shell(sharding->key.pattern()),
               ", name: \"", sharding->name, "\" }");
}

Status check_id_collation(const Collection& collection, const IndexSpec& wanted) {
  if (agree(collection.collation, wanted.collation)) return {};
  const auto shown = [](const query::Collation& collation) {
    return collation == nullptr ? std::string("{ locale: \"simple\" }") : bson::to_shell(collation->spec());
  };
  return error(Code::BadValue, "The _id index must have the same collation as the collection. Index collation: ", shown(wanted.collation),
               ", collection collation: ", shown(collection.collation));
}

Result<bool> is_among(const Specs& specs, const IndexSpec& wanted) {
  for (const auto& spec : specs) {
    TRY(const bool same, is_same(*spec, wanted));
    if (same) return true;
  }
  return false;
}

Status twice() { return error(Code::IndexAlreadyExists, "Cannot build two identical indexes. Try again without duplicate indexes."); }

Status too_many(const Namespace& ns, const IndexSpec& last) {
  return error(Code::CannotCreateIndex, "add index fails, too many indexes for ", ns.full(), " key:", bson::to_shell(last.definition["key"].as_document()));
}

/// Whether they may all be made at once: where they may not, no collection is made for them either.
Status check_together(const Namespace& ns, const std::vector<IndexSpec>& wanted) {
  for (auto one = wanted.begin(); one != wanted.end(); ++one) {
    if (one - wanted.begin() >= static_cast<std::ptrdiff_t>(kMaxIndexes)) return too_many(ns, *one);
    for (auto earlier = wanted.begin(); earlier != one && !one->is_id_key(); ++earlier) {
      if (earlier->is_id_key()) continue;
      TRY(const bool same, is_same(*earlier, *one));
      if (same) return twice();
    }
  }
  return {};
}

}  // namespace

Result<Catalog::IndexCounts> Catalog::create_indexes(const Namespace& ns, const std::vector<bson::View>& definitions,
                                                     const Interrupt& interrupted, BuildProgress* progress) {
  std::vector<bson::View> wanted_definitions;
  const auto there = share()->share(ns.full());
  const query::Collation inherited = there == nullptr ? nullptr : there->collation;
  for (const bson::View definition : definitions) {
    TRY(bool settled, is_settled_by_clustering(there.get(), definition));
    if (!settled && there != nullptr) {
      TRY(settled, is_settled_by_sharding(*there, definition));
    }
    if (!settled) wanted_definitions.push_back(definition);
  }
  TRY(std::vector<IndexSpec> wanted, parse(wanted_definitions, inherited));
  IndexCounts counts;
  counts.created_collection = share()->find(ns.full()) == nullptr;
  if (counts.created_collection) CHECK_OK(check_together(ns, wanted));
  CHECK_OK(get_or_create(ns));

  Claim claim(*this);
  TRY(const Specs fresh, claim_build(ns, std::move(wanted), interrupted, claim, counts));
  if (fresh.empty()) return counts;
  const Interrupt go_on = [&]() -> Status {
    CHECK_OK(claim.check());
    return interrupted ? interrupted() : Status();
  };
  IndexBuild build(store_, claim.collection(), fresh, go_on, progress);
  Status status = build.run();
  if (status.ok()) status = publish_build(build, claim.collection(), fresh);
  if (status.code() == Code::DuplicateKey) return duplicate_key(ns.full(), status);
  CHECK_OK(status);
  counts.after += fresh.size();
  return counts;
}

/// Which of the wanted indexes are new. Claims the collection when there are any.
Result<Specs> Catalog::claim_build(const Namespace& ns, std::vector<IndexSpec> wanted, const Interrupt& interrupted,
                                   Claim& claim, IndexCounts& counts) {
  Change change(*this);
  TRY(auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
  if (collection == nullptr) return not_found(ns);
  counts.before = counts.after = collection->index_count();
  Specs fresh;
  for (IndexSpec& spec : wanted) {
    if (spec.is_id_key()) CHECK_OK(check_id_collation(*collection, spec));
    if (spec.is_id_key()) continue;
    if (collection->sharding != nullptr) CHECK_OK(collection->sharding->check_unique(spec));
    if (collection->capped && spec.expire_after) {
      return error(Code::CannotCreateIndex, "Cannot create TTL index on a capped collection");
    }
    TRY(const bool there, is_among(collection->indexes, spec));
    if (there) continue;
    TRY(const bool settled, is_settled_by_sharding(*collection, spec.definition));
    if (settled) continue;  // Sharded since it was looked at first.
    CHECK_OK(check_name(*collection, spec));
    TRY(const bool again, is_among(fresh, spec));
    if (again) return twice();
    if (counts.before + fresh.size() >= kMaxIndexes) return too_many(ns, spec);
    spec.id = std::max(state_.row(collection->uuid)->next_index, next_index_id_);
    next_index_id_ = spec.id + 1;
    fresh.push_back(std::make_shared<const IndexSpec>(std::move(spec)));
  }
  if (!fresh.empty()) claim.take(std::move(collection));
  return fresh;
}

Status Catalog::publish_build(IndexBuild& build, const std::shared_ptr<const Collection>& collection, const Specs& fresh,
                              std::optional<std::uint32_t> replaced) {
  Exclusion exclusion(*collection);
  CHECK_OK(build.finish());
  Change change(*this);
  change.exclude(std::move(exclusion));
  CollectionRow row = state_.row(collection->uuid)->copy();
  auto place = std::ranges::find_if(row.indexes, [&](const IndexRow& index) { return index.id == replaced; });
  if (place != row.indexes.end()) place = row.indexes.erase(place);
  for (const auto& spec : fresh) {
    place = row.indexes.insert(place, {spec->id, spec->definition.copy()}) + 1;
    row.next_index = spec->id + 1;
  }
  change.put(CollectionRow::key(collection->uuid), row.encode());
  for (const auto& [segment, index] : build.built()) change.adopt(segment, index);
  CHECK_OK(change.commit());
  build.release();
  return {};
}

Result<std::size_t> Catalog::drop_indexes(const Namespace& ns, const std::function<bool(const IndexSpec&)>& which,
                                          const Interrupt& interrupted) {
  std::size_t before = 0;
  {
    Change change(*this);
    TRY(const auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
    if (collection == nullptr) return not_found(ns);
    before = collection->index_count();
    const std::size_t rows_before = collection->indexes.size();
    CollectionRow row = state_.row(collection->uuid)->copy();
    std::erase_if(row.indexes, [&](const IndexRow& index) {
      return std::ranges::any_of(collection->indexes,
                                 [&](const auto& spec) { return spec->id == index.id && !spec->is_id_key() && which(*spec); });
    });
    if (row.indexes.size() == rows_before) return before;
    change.exclude(*collection);
    change.put(CollectionRow::key(collection->uuid), row.encode());
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return before;
}

}  // namespace partita::shards
