// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "shards/catalog/names.h"
#include "wire/bson/document.h"

namespace partita::commands {

struct Server;

/// The database in which routers keep what they know of the cluster. Nothing is stored in it here: its collections are
/// views of the catalog and of the server itself, made anew whenever somebody reads them.
constexpr std::string_view kConfigDatabase = "config";

/// The documents of the namespace when that is one of these views, or a database's system.views; nullopt for any other.
std::optional<std::vector<bson::Document>> config_view(Server& server, const shards::Namespace& ns);
bool is_config_view(const shards::Namespace& ns);
/// IllegalOperation for one of them: there is nothing to insert into or to delete from.
Status check_no_config_view(const shards::Namespace& ns);
/// For listCollections.
std::vector<std::string_view> config_view_names();

}  // namespace partita::commands
