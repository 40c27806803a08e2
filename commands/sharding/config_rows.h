// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "wire/bson/document.h"

namespace partita::commands {

struct Server;

/// Rows of those views in `config` that tell of sharded collections, with the fields that a router's have.
std::vector<bson::Document> config_collections(Server& server);
std::vector<bson::Document> config_chunks(Server& server);
std::vector<bson::Document> config_changelog(Server& server);
/// Of what clients may switch on and off.
std::vector<bson::Document> config_settings(Server& server);

}  // namespace partita::commands
