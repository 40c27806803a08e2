// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/geo_near_key.h"

#include "query/stages/geo_near.h"

namespace partita::commands {
namespace {

using query::KeyForm;

/// The fields of that form in the collection's indexes, each index with its first one.
std::vector<std::string_view> fields_of(const shards::Collection& collection, KeyForm form) {
  std::vector<std::string_view> fields;
  for (const auto& index : collection.indexes) {
    const auto part = std::ranges::find(index->parts, form, &shards::IndexSpec::Part::form);
    if (part != index->parts.end() && !index->hidden) fields.emplace_back(part->path);
  }
  return fields;
}

Result<std::string_view> only_field(const shards::Collection& collection) {
  for (const auto& [form, name] : {std::pair{KeyForm::kGridCell, "2d"}, {KeyForm::kSphereCell, "2dsphere"}}) {
    const std::vector<std::string_view> fields = fields_of(collection, form);
    if (fields.size() == 1) return fields.front();
    if (fields.size() > 1) {
      return error(Code::IndexNotFound, "There is more than one ", name, " index on ", collection.ns.full(), "; unsure which to use for $geoNear");
    }
  }
  return error(Code::IndexNotFound, "$geoNear requires a 2d or 2dsphere index, but none were found");
}

}  // namespace

Result<bson::Document> settle_geo_near(const shards::Collection* collection, const shards::Namespace& ns, bson::View stages) {
  const bool geo_near = !stages.empty() && query::GeoNearKey::is_geo_near(stages.begin()->value.as_document());
  if (!geo_near) return bson::Document(stages);
  if (collection == nullptr) {
    return error(Code::NamespaceNotFound, "$geoNear requires a geo index to run, but ", ns.full(), " does not exist");
  }
  if (!query::GeoNearKey::is_missing(stages.begin()->value.as_document())) return bson::Document(stages);
  TRY(const std::string_view field, only_field(*collection));
  return query::GeoNearKey::add(stages, field);
}

}  // namespace partita::commands
