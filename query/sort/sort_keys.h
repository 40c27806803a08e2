// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"
#include "query/keys/path_tuples.h"
#include "query/keys/prefix.h"
#include "query/sort/sort_spec.h"

namespace partita::query {

/// Makes the bytes by which a document sorts: its values under the sort's paths, encoded, so that memcmp is the order.
/// Arrays on the way stand for their smallest element, or the largest where the field descends (in a compound sort: for
/// the tuple that comes first); missing values for null. Only _id, where documents are sorted by that alone, is a whole: an
/// array in it was computed. Nothing is allocated once its buffers have grown.
/// One thread at a time.
class SortKeys {
 public:
  explicit SortKeys(const SortSpec& spec);  ///< Its collation must outlive this.
  SortKeys(const SortKeys&) = delete;  // Paths are looked into.
  SortKeys& operator=(const SortKeys&) = delete;

  /// Appends the document's sort key. Fails with BadValue when the paths run through two different arrays.
  /// With `first`, first_of() the document, that is not looked for again.
  Status append(bson::View document, bson::Buffer& key, const bson::Value* first = nullptr);

  /// The values that the key is made of, one for each field; missing ones are missing. Valid until the next call, and as
  /// long as the document. Fails as append() does.
  Result<std::span<const bson::Value>> values_of(bson::View document);

  /// Whether a document's first value may be looked at before its key is made. Not where two paths might run through
  /// arrays: that is an error, which only append() finds. Nor where a text tells nothing of its place.
  bool has_plain_first() const { return has_plain_first_; }
  bson::Value first_of(bson::View document) const { return document[fields_.front().path]; }
  /// No number above the key_prefix() of a key that begins with this value: most documents of a long sort with a short
  /// limit are passed over by that alone. 0 when it says nothing.
  std::uint64_t floor(bson::Value first) const { return keys::prefix_floor(first, fields_.front().direction); }

 private:
  Status append_first_tuple(bson::View document, bson::Buffer& key);
  bson::Value distance_of(bson::View document) const;

  const std::shared_ptr<const geo::NearQuery> near_;  ///< Where there are no fields: the distance is the key.
  const std::vector<SortField> fields_;
  const std::shared_ptr<const text::Query> text_;  ///< Null where no field is a score.
  const std::vector<std::string_view> paths_;
  const Collator* const collation_;
  const bool has_plain_first_;
  const bool by_whole_id_;
  keys::PathTuples tuples_;
  bson::Buffer tuple_key_;
  bson::Buffer first_key_;
  std::vector<bson::Value> first_values_;
};

/// A document's key as $meta: "sortKey" shows it: an array of the values, in the arena.
Result<bson::Value> sort_key_of(SortKeys& keys, bson::View document, Arena& arena);

}  // namespace partita::query
