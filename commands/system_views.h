// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "shards/catalog/collection.h"
#include "wire/bson/document.h"

namespace partita::commands {

/// The collection of each database in which MongoDB keeps what its views are. Here it is made of the catalog whenever somebody
/// reads it, is there while there is a view, and is written by create, collMod and drop alone.
constexpr std::string_view kSystemViews = "system.views";

/// The views of a database, by their names.
std::vector<shards::Namespace> views_of(const shards::CatalogSnapshot& snapshot, std::string_view db);
/// {_id: "db.view", viewOn: ..., pipeline: [...]}
std::vector<bson::Document> system_views(const shards::CatalogSnapshot& snapshot, std::string_view db);
/// For listCollections.
bson::Document describe_system_views(std::string_view db, bool name_only);
/// The same for any collection that is not stored, and read like one all the same: the views of config have no uuid.
bson::Document describe_made_anew(std::string_view name, const std::optional<shards::Uuid>& uuid, bool name_only);
/// {v: 2, key: {_id: 1}, name: "_id_"}
void describe_id_index_made_anew(bson::Writer& index);

}  // namespace partita::commands
