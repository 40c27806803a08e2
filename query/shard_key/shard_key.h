// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/path/field_path.h"
#include "wire/bson/buffer.h"
#include "wire/bson/document.h"
#include "wire/error/status.h"

namespace partita::query {

class Collator;

/// The fields by whose values a collection is divided: {region: "hashed"}, {country: 1, "address.zip": 1}. It makes the
/// keys that records are clustered by: the fields in their order, then the _id, unless it is among them.
///
///     {country: 1, zip: 1}       country · zip · _id
///     {b: "hashed", a: 1}        hash(b) b · a · _id        a hash is eight bytes, and the value stands behind it, so that
///     {_id: "hashed"}            hash(_id) _id              two values with one hash stay apart
///
/// What stands before the _id is the logical key: all documents that share it lie together. A missing value, undefined and
/// null are one value, null. Immutable, so many threads may share one.
class ShardKey {
 public:
  struct Field {
    FieldPath path;
    bool hashed = false;
  };

  /// With MongoDB's rules: at most one hashed field, all others 1.
  static Result<ShardKey> parse(bson::View pattern);

  bson::View pattern() const { return pattern_; }
  std::span<const Field> fields() const { return fields_; }
  bool has_hash() const;
  /// A hash comes first: neighbouring values are spread over the whole space, which can be cut evenly in advance.
  bool spreads() const { return fields_[0].hashed; }
  /// The _id is one of the fields; then it ends no key a second time.
  bool has_id() const { return has_id_; }
  /// The record key begins with the _id or its hash, so that the _id alone leads to the document.
  bool is_found_by_id() const { return fields_[0].path.text() == "_id" && fields_.size() == 1; }

  /// Begins with the other's fields, and is longer or equal.
  bool extends(const ShardKey& other) const;
  /// Of a bound of partitions, the part that a key keeps which extends this one: without any _id.
  std::string_view logical_bound(std::string_view bound) const;

  /// The value that decides: null for a missing one. ShardKeyNotFound where an array stands in the way.
  Result<bson::Value> value_of(bson::View document, const Field& field) const;
  /// Appends the logical key of a document, or of anything with the same fields.
  Status append_logical(bson::View document, bson::Buffer& key) const;
  /// Appends the whole record key. The fields of the shard key go by their bytes whatever the collection's collation says, so
  /// that one value has one place; that orders the ids behind them.
  Status append(bson::View document, bson::Buffer& key, const Collator* ids = nullptr) const;
  /// The same from the values of the fields, in their order, and the _id.
  void append(std::span<const bson::Value> values, bson::Value id, bson::Buffer& key, const Collator* ids = nullptr) const;
  /// How many bytes of a record key are the logical key.
  std::size_t logical_size(std::span<const std::uint8_t> record_key) const;
  /// The values that a logical key is made of, {region: ..., zip: ...}.
  Result<bson::Document> values(std::span<const std::uint8_t> logical_key) const;

  /// {region: ..., zip: ...} of a document, with hashes in place of hashed values where `shown_as` asks for it: as chunk
  /// bounds and error messages show it.
  enum class Shown : std::uint8_t { kValues, kHashes };
  Result<bson::Document> extract(bson::View document, Shown shown) const;
  /// A bound of a partition as a document: what its bytes tell, and MinKey (or MaxKey) for the fields they do not reach.
  /// One that goes on behind a hash has the value too, and one that parts a logical key the _id:
  ///
  ///     {a: 5, _id: 17}        {a: NumberLong(-3), $value: "x", _id: 17}
  Result<bson::Document> bound(std::span<const std::uint8_t> bytes, bson::Type rest) const;
  /// The other way round: bytes of {region: NumberLong(...)} as bound() shows it. MinKey ends it. Where an _id follows, the
  /// value of a hashed field may stand in place of its hash, so that a record's key is read as documents have it.
  Result<std::string> parse_bound(bson::View bound, const Collator* ids = nullptr) const;
  /// Behind it a logical key goes on that begins before it.
  bool parts_logical_key(std::string_view bound) const;

  ShardKey copy() const;

 private:
  static void append_part(const Field& field, bson::Value value, bson::Buffer& key);

  bson::Document pattern_;
  std::vector<Field> fields_;
  bool has_id_ = false;
};

/// The place of a value in the space of hashes. Of an index with a collation: texts that it takes for one share theirs.
std::uint64_t hash_of(bson::Value value, const Collator* collation = nullptr);
/// A hash as clients see it: a signed number, in the same order.
std::int64_t shown_hash(std::uint64_t hash);
std::uint64_t unshown_hash(std::int64_t shown);

/// Where a space of hashes begins to be the n-th of `parts` equal ones: eight bytes.
std::string even_bound(std::size_t n, std::size_t parts);

}  // namespace partita::query
