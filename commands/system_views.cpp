// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/system_views.h"

#include "query/keys/hash.h"
#include "shards/catalog/rows.h"
#include "wire/bson/buffer.h"

namespace partita::commands {
namespace {

/// Of a collection that nobody has made: the same one as long as the database has its name, and that of no other.
shards::Uuid uuid_of(std::string_view db) {
  shards::Uuid uuid{};
  const auto half = [&](std::string_view salt) {
    std::string text(salt);
    text.append(db);
    return query::keys::hash(shards::bytes_of(text));
  };
  bson::store(uuid.data(), half(kSystemViews));
  bson::store(uuid.data() + 8, half("uuid"));
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x80);  // Version 8: of one's own making.
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

}  // namespace

std::vector<shards::Namespace> views_of(const shards::CatalogSnapshot& snapshot, std::string_view db) {
  std::vector<shards::Namespace> found;
  for (const auto& [name, row] : *snapshot.views) {
    const std::string_view full(name);
    if (full.size() > db.size() && full.starts_with(db) && full[db.size()] == '.') found.emplace_back(db, full.substr(db.size() + 1));
  }
  return found;
}

std::vector<bson::Document> system_views(const shards::CatalogSnapshot& snapshot, std::string_view db) {
  std::vector<bson::Document> rows;
  for (const shards::Namespace& ns : views_of(snapshot, db)) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("_id", ns.full());
      row.elements(snapshot.view(ns.full())->options.view());
    }));
  }
  return rows;
}

bson::Document describe_system_views(std::string_view db, bool name_only) {
  return describe_made_anew(kSystemViews, uuid_of(db), name_only);
}

bson::Document describe_made_anew(std::string_view name, const std::optional<shards::Uuid>& uuid, bool name_only) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("name", name);
    row.add("type", "collection");
    if (name_only) return;
    row.document("options").close();
    {
      bson::Writer info = row.document("info");
      info.add("readOnly", !uuid.has_value());
      if (uuid) info.uuid("uuid", *uuid);
    }
    bson::Writer index = row.document("idIndex");
    describe_id_index_made_anew(index);
  });
}

void describe_id_index_made_anew(bson::Writer& index) {
  index.add("v", 2);
  index.document("key").add("_id", 1);
  index.add("name", "_id_");
}

}  // namespace partita::commands
