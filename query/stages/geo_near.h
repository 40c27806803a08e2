// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/stages/stage.h"

namespace partita::query {

/// $geoNear is three stages: a $match by $near, a $sort by distance, and one that tells each document's distance. The field
/// whose places are meant may be left out where a collection has but one index of them; who knows the collection says which.
struct GeoNearKey {
  /// Whether the stage is a $geoNear that leaves its field out.
  static bool is_missing(bson::View stage);
  /// Whether the stage is a $geoNear at all.
  static bool is_geo_near(bson::View stage) { return !stage.empty() && stage.begin()->name == "$geoNear"; }
  /// The stages, the first of which now has the field.
  static bson::Document add(bson::View stages, std::string_view path);
  /// The stages as they are run, for explain: the filter, the sort and the stage itself. Others as they are.
  static bson::Document written_out(bson::View stages, bson::View filter);
};

}  // namespace partita::query
