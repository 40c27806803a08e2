// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "query/indexes/geo_options.h"
#include "query/indexes/key_form.h"
#include "query/indexes/wildcard.h"
#include "query/keys/encode.h"
#include "query/keys/path_tuples.h"
#include "query/match/matcher.h"
#include "query/text/spec.h"

namespace partita::query {

/// One field of an index.
struct IndexField {
  FieldPath path;  ///< Not of a wildcard.
  keys::Direction direction = keys::Direction::kAscending;
  KeyForm form = KeyForm::kValue;
};

/// The keys that one document has in one index, encoded, sorted, each once. Used again for the next document.
class IndexKeys {
 public:
  using Bytes = std::span<const std::uint8_t>;
  std::size_t size() const { return entries_.size(); }
  Bytes key(std::size_t i) const { return slice(entries_[i].key, entries_[i].key_size); }
  Bytes type_bits(std::size_t i) const { return slice(entries_[i].bits, entries_[i].bits_size); }
  /// Where arrays are: keys/array_bits.h. Of a wildcard index: WildcardScope::array_bit().
  std::uint64_t multikey() const { return multikey_; }
  void clear();

 private:
  friend class IndexKeyMaker;
  struct Entry {
    std::uint32_t key, key_size, bits, bits_size;
  };
  Bytes slice(std::uint32_t at, std::uint32_t size) const { return bytes_.bytes().subspan(at, size); }
  void begin_entry();
  void end_entry();
  void sort();

  std::vector<Entry> entries_;
  bson::Buffer bytes_;
  std::uint64_t multikey_ = 0;
  keys::TypeBits types_;
  keys::PathTuples tuples_;
  WildcardWalk walk_;
  std::vector<bson::Value> values_;  ///< Of an index of places: of all fields, field after field. Beside a wildcard: one of each.
  std::vector<std::size_t> ends_;  ///< Of an index of places.
  std::vector<std::int64_t> cells_;
  text::TermSet terms_;
};

/// Makes keys as MongoDB does: those of PathTuples, with what is missing as null. A sparse index leaves out tuples of
/// which nothing is there, a partial one all keys of documents that its filter does not match. An index with a hashed
/// field takes no arrays. With a collation texts stand as their sort keys, and are hashed so. One of places leaves out documents that have none, and has the others under each cell of each
/// place, together with each value of the other fields: geo_keys.cpp. Documents without arrays under the fields take a short way, on which nothing is allocated.
class IndexKeyMaker {
 public:
  /// With a scope one field is a wildcard; with a text one of them is of its terms.
  IndexKeyMaker(std::vector<IndexField> fields, bool sparse, std::optional<Matcher> filter = std::nullopt,
                std::optional<WildcardScope> wildcard = std::nullopt, std::optional<GeoIndexOptions> geo = std::nullopt,
                std::shared_ptr<const text::Spec> text = nullptr, Collation collation = nullptr);
  IndexKeyMaker(const IndexKeyMaker&) = delete;  // Paths are looked into.
  IndexKeyMaker& operator=(const IndexKeyMaker&) = delete;

  const std::vector<IndexField>& fields() const { return fields_; }
  /// Null where the index is not a partial one.
  const Matcher* filter() const { return filter_ ? &*filter_ : nullptr; }
  /// Null where it is not a wildcard index.
  const WildcardScope* wildcard() const { return wildcard_ ? &*wildcard_ : nullptr; }
  /// Null where it is not an index of places.
  const GeoIndexOptions* geo() const { return geo_ ? &*geo_ : nullptr; }
  /// Null where it is not a text index.
  const std::shared_ptr<const text::Spec>& text() const { return text_; }
  /// Fails as PathTuples does: CannotIndexParallelArrays, Location16746; with Location16766 for an array in a hashed index,
  /// with Location16755 and others for what is no place; of a text index as text::Walk does, with CannotBuildIndexKeys for an
  /// array in a field beside the texts; with Location7246301 for one beside a wildcard.
  Status make(bson::View document, IndexKeys& out) const;
  /// Whether the two documents hold the same bytes wherever the fields, and those of the filter, begin: then they have the
  /// same keys. May be false for others with the same keys.
  bool touches_nothing(bson::View before, bson::View after) const;

 private:
  bool make_plain(bson::View document, IndexKeys& out) const;
  Status make_tuples(bson::View document, IndexKeys& out) const;
  Status make_wildcard(bson::View document, IndexKeys& out) const;
  void add_wildcard_key(std::optional<std::string_view> path, bson::Value value, IndexKeys& out) const;
  Status make_text(bson::View document, IndexKeys& out) const;
  Status refuse_array(bson::View document) const;
  Status make_places(bson::View document, IndexKeys& out) const;
  Result<bool> gather_places(bson::View document, const IndexField& field, IndexKeys& out) const;
  void combine(IndexKeys& out) const;

  std::vector<IndexField> fields_;
  std::vector<std::string_view> paths_;
  std::vector<std::string_view> names_;  ///< Of top-level fields: what keys are made of, and the filter asks about.
  bool sparse_;
  bool hashed_ = false;
  std::optional<Matcher> filter_;
  std::optional<WildcardScope> wildcard_;
  std::optional<GeoIndexOptions> geo_;
  std::shared_ptr<const text::Spec> text_;
  bool knows_names_ = true;  ///< names_ are all that it looks at.
  Collation collation_;
};

}  // namespace partita::query
