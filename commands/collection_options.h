// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/catalog/collection.h"

/// Options of collections that create and collMod both know, checked and in the form in which they are kept and shown.
namespace partita::commands {

/// How much a capped collection shall hold, as it was asked for.
struct AskedCap {
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> max;

  bool given() const { return size || max; }
  /// 51024 for what is too much or too little; the names are the command's.
  Status check(std::string_view size_name, std::string_view max_name) const;
  /// In MongoDB's form: bytes in whole steps of 256, no limit of documents as the highest number there is.
  void write(bson::Writer& options) const;
};

/// `clusteredIndex`, in full: {v: 2, key: {_id: 1}, name: "_id_", unique: true}; nullopt for false. Records are clustered by
/// their _id anyhow, so that this is a name, and rules about it.
Result<std::optional<bson::Document>> parse_clustered_index(bson::Value asked);

/// Seconds until a document goes whose _id is a date: of a collection with a clustered index.
Status check_expiry(std::int64_t seconds);

/// `changeStreamPreAndPostImages`: {enabled: true}; nullopt where nothing is said.
Result<std::optional<bool>> parse_images(std::string_view command, bson::Value asked, const shards::Namespace& ns);

}  // namespace partita::commands
