// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/known_meta.h"
#include "wire/error/status.h"

namespace partita::query {

/// What {$meta: "..."} asks for: what is known of a document beside its fields.
enum class Meta : std::uint8_t {
  kTextScore,
  kSearchScore,
  kSearchHighlights,
  kSearchScoreDetails,
  kRandomValue,
  kBucketTime,
  kNearDistance,
  kNearPoint,
  kIndexKey,
  kSortKey,
  kRecordId,
};

/// The operand of $meta. Fails with MongoDB's codes for what is no name.
Result<Meta> parse_meta(bson::Value operand);
/// What a query makes known of its documents.
struct KnownBeside {
  bool near = false;   ///< How far they are from a point, and where they are.
  bool texts = false;  ///< How well they fit some words.
};
/// Location40218 for what this query does not make known, and another would.
Status check_available(Meta meta, KnownBeside known = {});

/// Who knows of the documents of an answer what they do not say themselves. One thread at a time.
class MetaSource {
 public:
  virtual ~MetaSource() = default;
  /// Missing where there is nothing to tell. Valid as long as the document and the arena.
  virtual Result<bson::Value> meta(Meta meta, bson::View document, Arena& arena) = 0;
};

}  // namespace partita::query
