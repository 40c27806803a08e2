// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/cursor_reply.h"
#include "commands/listed_indexes.h"
#include "commands/server.h"
#include "commands/system_views.h"
#include "query/match/matcher.h"
#include "shards/catalog/rows.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct ListCollectionsRequest {
  bson::View filter;
  bool name_only = false;
  bool authorized = false;
  bson::Value cursor;
};

const Arguments<ListCollectionsRequest> kCollectionsArguments{
    {"filter", &ListCollectionsRequest::filter},
    {"nameOnly", &ListCollectionsRequest::name_only, Rule::kStrict},
    {"authorizedCollections", &ListCollectionsRequest::authorized, Rule::kStrict},
    {"cursor", &ListCollectionsRequest::cursor},
};

bson::Document describe(const shards::Collection& collection, bool name_only) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("name", collection.ns.collection());
    row.add("type", "collection");
    if (name_only) return;
    row.add("options", collection.options.view());
    {
      bson::Writer info = row.document("info");
      info.add("readOnly", false);
      info.uuid("uuid", collection.uuid);
    }
    if (!collection.clustered_index().empty()) return;
    bson::Writer index = row.document("idIndex");
    describe_id_index(collection, index);
  });
}

bson::Document describe(const shards::Namespace& ns, const shards::ViewRow& view, bool name_only) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("name", ns.collection());
    row.add("type", "view");
    if (name_only) return;
    row.add("options", view.options.view());
    row.document("info").add("readOnly", true);
  });
}

Status list_collections(Operation& operation, bson::Writer& reply) {
  TRY(const ListCollectionsRequest request, kCollectionsArguments.parse("listCollections", operation.request()));
  TRY(const BatchLimits limits, parse_cursor_argument("listCollections", request.cursor));
  TRY(const query::Matcher matcher, query::Matcher::parse(request.filter));
  std::vector<bson::Document> rows;
  const auto list = [&](bson::Document row) {
    if (matcher.matches(row)) rows.push_back(std::move(row));
  };
  const auto snapshot = operation.server().store.catalog().share();
  for (const auto& collection : snapshot->collections(operation.db())) list(describe(*collection, request.name_only));
  const std::vector<shards::Namespace> views = views_of(*snapshot, operation.db());
  if (!views.empty()) list(describe_system_views(operation.db(), request.name_only));
  for (const shards::Namespace& view : views) list(describe(view, *snapshot->view(view.full()), request.name_only));
  if (operation.db() == kConfigDatabase) {
    for (const std::string_view name : config_view_names()) list(describe_made_anew(name, {}, request.name_only));
  }
  const shards::Namespace ns(operation.db(), "$cmd.listCollections");
  return answer_documents(operation, ns, std::move(rows), limits, reply);
}

struct ListIndexesRequest {
  bson::Value cursor;
  bool with_build_info = false;
};

const Arguments<ListIndexesRequest> kIndexesArguments{
    {"cursor", &ListIndexesRequest::cursor},
    {"includeBuildUUIDs", nullptr},  // No build is ever listed before it is done.
    {"includeIndexBuildInfo", &ListIndexesRequest::with_build_info},
};

Status list_indexes(Operation& operation, bson::Writer& reply) {
  TRY(const ListIndexesRequest request, kIndexesArguments.parse("listIndexes", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  TRY(const BatchLimits limits, parse_cursor_argument("listIndexes", request.cursor));
  const shards::Collection* collection = operation.server().store.catalog().snapshot().find(ns.full());
  std::vector<bson::Document> rows;
  const auto has_views = [&] { return !views_of(operation.server().store.catalog().snapshot(), ns.db()).empty(); };
  if (collection == nullptr && (is_config_view(ns) || (ns.collection() == kSystemViews && has_views()))) {
    rows.push_back(bson::Document::build(describe_id_index_made_anew));
    return answer_documents(operation, ns, std::move(rows), limits, reply);
  }
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  for (ListedIndex& index : listed_indexes(*collection)) {
    bson::Document row = std::move(index.definition);
    if (request.with_build_info) row = bson::Document::build([&](bson::Writer& out) { out.add("spec", row.view()); });
    rows.push_back(std::move(row));
  }
  return answer_documents(operation, ns, std::move(rows), limits, reply);
}

const Register kListCollections{{
    .name = "listCollections",
    .help = "The collections of a database, with their options.",
    .rights = Rights::kRead,
    .stable_api = true,
    .run = list_collections,
}};

const Register kListIndexes{{
    .name = "listIndexes",
    .help = "The indexes of a collection.",
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .stable_api = true,
    .run = list_indexes,
}};

}  // namespace
}  // namespace partita::commands
