// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <deque>

#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/index_use.h"
#include "commands/server.h"
#include "commands/shown_build.h"
#include "commands/wall_time.h"
#include "shards/catalog/index_options.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

struct CreateIndexesRequest {
  Documents indexes;
  bson::Value commit_quorum;
  bool ignore_unknown = false;
};

const Arguments<CreateIndexesRequest> kCreateArguments{
    {"indexes", &CreateIndexesRequest::indexes, Rule::kRequired},
    {"commitQuorum", &CreateIndexesRequest::commit_quorum},  // How many members must vote for a build: there is one.
    {"ignoreUnknownIndexOptions", &CreateIndexesRequest::ignore_unknown},
};

Status check_quorum(bson::Value quorum) {
  if (quorum.missing() || quorum.is_null() || quorum.is_string()) return {};
  if (!quorum.is_number()) return wrong_type("createIndexes", "commitQuorum", quorum, "[long, int, decimal, double, string']");
  const auto members = quorum.to_double().value_or(-1);
  if (members >= 0 && members <= 50) return {};
  return error(Code::FailedToParse, "commitQuorum has to be a non-negative number and not greater than 50");
}

/// As mongorestore wants it, whose dumps may be of servers that took more.
bson::Document without_unknown(bson::View definition) {
  return bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& field : definition) {
      if (shards::is_index_option(field.name)) out.add(field);
    }
  });
}

/// For $indexStats.
void note_time(const shards::Collection* collection, const std::vector<bson::View>& definitions) {
  if (collection == nullptr) return;
  for (const auto& spec : collection->indexes) {
    const auto names = [&](bson::View definition) { return definition["name"].is_string() && definition["name"].as_string() == spec->name; };
    if (std::ranges::any_of(definitions, names)) index_use(*collection, spec->id)->made_at(now_as_date().ms_since_epoch);
  }
}

Status create_indexes(Operation& operation, bson::Writer& reply) {
  TRY(const CreateIndexesRequest request, kCreateArguments.parse("createIndexes", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  CHECK_OK(check_no_config_view(ns));
  CHECK_OK(check_quorum(request.commit_quorum));
  if (request.indexes.count() == 0) return error(Code::BadValue, "Must specify at least one index to create");
  std::vector<bson::View> definitions;
  std::deque<bson::Document> known;
  CHECK_OK(request.indexes.for_each([&](bson::View definition) -> Status {
    if (request.ignore_unknown) definition = known.emplace_back(without_unknown(definition)).view();
    definitions.push_back(definition);
    return {};
  }));
  const auto go_on = [&] { return operation.check_killed(); };
  shards::BuildProgress progress;
  const ShownBuild shown(operation.client(), progress);
  TRY(const auto counts, operation.server().store.catalog().create_indexes(ns, definitions, go_on, &progress));
  reply.add("numIndexesBefore", static_cast<std::int32_t>(counts.before));
  reply.add("numIndexesAfter", static_cast<std::int32_t>(counts.after));
  const bool nothing_new = counts.before == counts.after;
  if (!nothing_new) note_time(operation.server().store.catalog().snapshot().find(ns.full()), definitions);
  if (counts.created_collection || !nothing_new) reply.add("createdCollectionAutomatically", counts.created_collection);
  if (nothing_new) reply.add("note", "all indexes already exist");
  return {};
}

struct DropIndexesRequest {
  bson::Value index;
};
const Arguments<DropIndexesRequest> kDropArguments{{"index", &DropIndexesRequest::index, Rule::kRequired}};

bool names(const shards::IndexSpec& spec, bson::Value index) {
  if (index.is_string()) return spec.name == index.as_string();
  return bson::compare(spec.definition["key"], index) == 0;
}

/// The index that keeps a collection's shard key, or that its records are.
bool is_shard_key_index(const shards::Collection& collection, bson::Value index) {
  if (collection.sharding == nullptr) return false;
  const shards::Sharding& sharding = *collection.sharding;
  if (collection.lists_shard_key() && index.is_string() && index.as_string() == sharding.name) return true;
  if (index.is_document() && sharding.has_index() && sharding.is_own_index(index)) return true;
  const auto kept = [&](const auto& spec) { return names(*spec, index) && spec->collation == nullptr && sharding.is_own_index(spec->definition["key"]); };
  return std::ranges::any_of(collection.indexes, kept);
}

/// Which indexes are meant: "*", a name, a key pattern, or an array of names.
Status check_named(const shards::Collection& collection, bson::Value index) {
  const bool id_name = index.is_string() && index.as_string() == collection.id_index_name();
  const bool id_key = index.is_document() && index.as_document().count() == 1 && index.as_document().has("_id");
  if ((id_name || id_key) && !collection.clustered_index().empty()) {
    return error(Code{5979800}, "It is illegal to drop the clusteredIndex");
  }
  if (id_name || id_key) return error(Code::InvalidOptions, "cannot drop _id index");
  if (is_shard_key_index(collection, index)) {
    return error(Code::CannotDropShardKeyIndex, "Cannot drop the only compatible index for this collection's shard key");
  }
  const shards::IndexSpec* found = nullptr;
  for (const auto& spec : collection.indexes) {
    if (!names(*spec, index)) continue;
    if (found != nullptr) {
      return error(Code::AmbiguousIndexKeyPattern, "several indexes found for key: ", bson::to_shell(index), ", identify by name instead. "
                   "Conflicting indexes: ", bson::to_shell(found->definition), ", ", bson::to_shell(spec->definition));
    }
    found = spec.get();
  }
  if (found != nullptr) return {};
  if (index.is_string()) return error(Code::IndexNotFound, "index not found with name [", index.as_string(), "]");
  return error(Code::IndexNotFound, "can't find index with key: ", bson::to_shell(index));
}

Status drop_indexes(Operation& operation, bson::Writer& reply) {
  TRY(const DropIndexesRequest request, kDropArguments.parse("dropIndexes", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  shards::Catalog& catalog = operation.server().store.catalog();
  const auto collection = catalog.snapshot().share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns not found ", ns.full());
  std::vector<bson::Value> wanted;
  const auto is_star = [](bson::Value index) { return index.is_string() && index.as_string() == "*"; };
  bool all = is_star(request.index);
  if (request.index.is_array()) {
    const bson::View array = request.index.as_document();
    all = array.count() == 1 && is_star(array["0"]);
    for (const auto& [name, value] : array) {
      const auto same = [&](bson::Value other) { return bson::equal(other, value); };
      if (std::ranges::any_of(wanted, same)) {
        return error(Code::IndexNotFound, "index not found with name [", bson::to_shell(value), "]: it is named twice");
      }
      if (!all) wanted.push_back(value);
    }
  } else if (!all) {
    wanted.push_back(request.index);
  }
  for (const bson::Value index : wanted) {
    if (!index.is_string() && !index.is_document()) return wrong_type("dropIndexes", "index", index, "[string, object']");
    CHECK_OK(check_named(*collection, index));
  }
  const auto meant = [&](const shards::IndexSpec& spec) {
    if (all) return collection->sharding == nullptr || spec.collation != nullptr || !collection->sharding->is_own_index(spec.definition["key"]);
    for (const bson::Value index : wanted) {
      if (names(spec, index)) return true;
    }
    return false;
  };
  const auto go_on = [&] { return operation.check_interrupt(); };
  TRY(const std::size_t before, catalog.drop_indexes(ns, meant, go_on));
  reply.add("nIndexesWas", static_cast<std::int32_t>(before));
  if (all) {
    reply.add("msg", collection->sharding == nullptr ? "non-_id indexes dropped for collection"
                                                     : "non-_id indexes and non-shard key indexes dropped for collection");
  }
  return {};
}

const Register kCreateIndexes{{
    .name = "createIndexes",
    .help = "Builds indexes on a collection, which is made when it is not there.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .run = create_indexes,
}};

const Register kDropIndexes{{
    .name = "dropIndexes",
    .aliases = {"deleteIndexes"},
    .help = "Removes indexes by name, by key, or all but that of _id (\"*\").",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .run = drop_indexes,
}};

}  // namespace
}  // namespace partita::commands
