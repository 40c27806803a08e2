// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/collection.h"
#include "wire/bson/document.h"

namespace partita::commands {

/// The stages of a pipeline; a $geoNear at their beginning that names no field is told the one that has the collection's only
/// index of places, 2d before 2dsphere. Fails with IndexNotFound where that is none or several, with NamespaceNotFound where
/// there is no collection (null).
Result<bson::Document> settle_geo_near(const shards::Collection* collection, const shards::Namespace& ns, bson::View stages);

}  // namespace partita::commands
