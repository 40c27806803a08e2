// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/indexes/geo_options.h"
#include "shards/catalog/collection.h"

/// Definitions of indexes of places: 2dsphere and 2d.
namespace partita::shards {

/// The form that a key pattern's "2dsphere" or "2d" asks for; nullopt for other words.
std::optional<query::KeyForm> place_form(std::string_view word);
/// Fields that cannot stand together in one index.
Status check_places(const IndexSpec& spec);
bool is_geo_option(std::string_view name);
/// How the index is to be made; nullopt where it is none of places. Fails for options of other kinds, and for those that
/// make no sense.
Result<std::optional<query::GeoIndexOptions>> read_geo_options(const IndexSpec& spec, bson::View definition);
/// As listIndexes shows them.
void write_geo_options(const IndexSpec& spec, bson::View definition, bson::Writer& out);

}  // namespace partita::shards
