// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "query/indexes/index_keys.h"
#include "query/shard_key/shard_key.h"
#include "shards/catalog/names.h"
#include "shards/partitions/partition.h"
#include "wire/bson/document.h"

namespace partita::shards {

/// An index as it was defined. Immutable and shared by all partitions of its collection.
struct IndexSpec {
  struct Part {
    std::string path;  ///< Of a wildcard with the $** at its end.
    bool descending = false;
    query::KeyForm form = query::KeyForm::kValue;
    query::keys::Direction direction() const {
      return descending ? query::keys::Direction::kDescending : query::keys::Direction::kAscending;
    }
  };
  std::uint32_t id = 0;  ///< Unique within the collection, never used again.
  std::string name;
  std::vector<Part> parts;
  std::shared_ptr<const query::IndexKeyMaker> keys;
  bool unique = false;
  bool sparse = false;
  query::Collation collation;   ///< By which texts lie in it, and are equal.
  bool hidden = false;          ///< Kept as any other, and used by no query.
  bool prepare_unique = false;  ///< Takes no duplicates from now on; those that are there already may stay.
  std::optional<std::int32_t> expire_after;  ///< Seconds behind the date in its field, at which a document goes.
  std::int32_t version = 2;
  bson::Document definition;  ///< What listIndexes shows: {v, key, name, ...options}.

  /// {_id: 1}: every collection has it already, as its record key.
  bool is_id_key() const;
  bool has(query::KeyForm form) const;
  /// Nothing but name, and what a collMod may change, tells the two apart.
  bool is_equivalent(const IndexSpec& other) const;
  /// Checks a definition as createIndexes takes it. One that says nothing of a collation has that of its collection.
  static Result<IndexSpec> parse(bson::View definition, const query::Collation& inherited = nullptr);

 private:
  static Result<IndexSpec> read(bson::View definition, const query::Collation& inherited);
};

/// What an index on these fields is called where nobody says otherwise: region_hashed, a_1_b_-1.
std::string default_index_name(bson::View key);

/// A name for Sharding::claims that no other collection has.
std::string claims_table(bson::ObjectId epoch);

/// How a collection is divided by the user's choice.
struct Sharding {
  query::ShardKey key;
  bool unique = false;  ///< Its user wants one document per shard key, and says that the key is unique.
  std::string name;     ///< As an index on the key would be called.
  bson::ObjectId epoch{};  ///< Another one each time that a collection is divided anew; begins with the time of that.
  // What its user has chosen since.
  bool split_logical = false;     ///< What outgrows a logical partition is divided by its _id, not refused.
  bool no_balance = false;        ///< The server splits and merges nothing here by itself.
  bool no_auto_merge = false;     ///< The same of merging alone.
  bool allow_migrations = true;   ///< As setAllowMigrations left it.
  bool unique_id = false;         ///< Its user wants every _id once in the whole collection, not just within a shard key.
  /// The table in which each _id is claimed for that; empty where nobody wants it, or the record key sees to it by itself.
  /// It goes along when the collection is divided anew, for the claims stay what they are.
  std::string claims;

  /// The records are an index that has to be listed beside that of _id. (Where the key is unique there is a real one.)
  bool has_index() const { return key.is_found_by_id() ? key.has_hash() : !unique; }
  bool is(const Sharding& other) const;
  /// Partitions may end within a logical key. (Where the _id is part of the key, a logical key is one document.)
  bool divides_keys() const { return split_logical && !key.has_id(); }
  /// Whether a unique index, or one that is to become so, holds over all partitions: those that begin with the fields of the
  /// key do, unless documents of one key lie apart. CannotCreateIndex.
  Status check_unique(const IndexSpec& index) const;
  bool begins_with_key(const IndexSpec& index) const;
  /// An index with that key would say nothing that the records do not.
  bool is_own_index(bson::Value index_key) const;
  Sharding copy() const;
  bson::Document encode() const;
  static Result<Sharding> decode(bson::View row);
  std::shared_ptr<const Sharding> share() const;
};

/// One partition's place in a collection: the record keys from `min` up to the next slot's.
struct PartitionSlot {
  std::string min;  ///< Encoded record key; empty in the first slot.
  std::shared_ptr<Partition> partition;
  std::vector<std::shared_ptr<PartitionIndex>> indexes;  ///< In the order of Collection::indexes; those of its segment.
  std::string max;                     ///< The next slot's min; empty in the last one.
  bson::Date created = {};
  std::vector<PartitionId> inherits;   ///< Whose retry rows hold here too.
  std::optional<PartitionId> origin;   ///< Which it descends from by splits.
  const Sharding* sharding = nullptr;  ///< The collection's, which lives as long as this.
  TableId claims = kNoTable;           ///< Of _ids; the collection's.
  const query::Collator* collation = nullptr;  ///< The collection's.
};

struct Validation;

/// How much a capped collection holds: when more comes, the oldest documents go.
struct CappedLimits {
  std::int64_t bytes = 0;
  std::int64_t documents = INT64_MAX;

  /// 0: no limit.
  std::int64_t shown_documents() const { return documents == INT64_MAX ? 0 : documents; }
  bool hold(const Growth& size) const { return size.bytes <= bytes && size.documents <= documents; }
  /// As create took them: {capped: true, size: 4096, max: 100}. nullopt where they say nothing of that.
  static std::optional<CappedLimits> of(bson::View options);
};

/// A collection as one version of the catalog has it. Immutable: whoever holds it may read it without locks for as
/// long as they like; writes check the version at the partition's gate.
class Collection {
 public:
  Namespace ns;
  Uuid uuid{};
  std::uint64_t version = 0;  ///< Of the catalog when this state of the collection was published.
  bson::Document options;     ///< As create took them.
  std::shared_ptr<const Sharding> sharding;  ///< Null: records are clustered by their _id, or lie as they have come.
  /// Then records are keyed by numbers in the order in which they have come, all in one partition, and _id has an index.
  std::optional<CappedLimits> capped;
  query::Collation collation;  ///< Of queries that say nothing else, and of its _ids. Never changes.
  std::shared_ptr<const Validation> validation;  ///< Null: its user demands nothing of documents.
  std::vector<std::shared_ptr<const IndexSpec>> indexes;  ///< Secondary ones; that of _id is the record key itself.
  std::vector<PartitionSlot> partitions;                  ///< In the order of their ranges, which tile the key space.

  /// The first eight bytes of every partition's min, as numbers: a search among a thousand partitions stays within a few
  /// cache lines. Made by publish(); a collection without them is searched by the mins alone.
  std::vector<std::uint64_t> heads;

  /// The partition that a record key belongs to. This is all that routing of a single key is.
  const PartitionSlot& locate(Bytes record_key) const;
  std::size_t slot_of(Bytes record_key) const;
  void note_heads();
  /// Record keys mean the same in both, so that what one's map has found, the other's finds again.
  bool is_clustered_as(const Collection& other) const;
  /// The records are an index on the shard key that is to be listed: none of `indexes` is the same.
  bool lists_shard_key() const;
  /// What the index of _id is called: "_id_", or as its user has called it who has asked for a clustered one by that name.
  std::string_view id_index_name() const;
  /// {v, key, name, unique} of a clustered index; empty: its user has asked for none. The records are one either way.
  bson::View clustered_index() const;
  /// The index of _id counts as one, and is none of `indexes`.
  bool records_are_id_index() const;
  /// With those that the records themselves are: of _id, unless it is one of `indexes` or clustered, and of the shard key.
  std::size_t index_count() const;
  Growth size() const;

  /// Neighbours that share a segment: its tables hold their rows and no others.
  struct Run {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  Run run_of(std::size_t place) const;
  std::vector<Run> runs() const;
};

/// QueryPlanKilled: what somebody knows by record keys, they mean no more.
Status order_changed(const Namespace& ns);

struct ViewRow;
/// By their full names.
using Views = std::map<std::string, std::shared_ptr<const ViewRow>, std::less<>>;

/// Everything the catalog knew at one version. Immutable.
class CatalogSnapshot {
 public:
  std::uint64_t version = 0;
  bson::ObjectId cluster;  ///< The store's identity; zeros until it has got one.
  std::shared_ptr<const Views> views;
  /// nullptr: there is no view of that name.
  const ViewRow* view(std::string_view full_name) const;
  /// CommandNotSupportedOnView where that is one.
  Status check_no_view(const Namespace& ns) const;
  const Collection* find(std::string_view full_name) const;
  std::shared_ptr<const Collection> share(std::string_view full_name) const;
  std::shared_ptr<const Collection> share(const Uuid& uuid) const;
  /// In the order of their names.
  std::vector<std::shared_ptr<const Collection>> collections(std::string_view db) const;
  std::vector<std::shared_ptr<const Collection>> all() const;
  /// Those that are capped, in no order; while this lives.
  std::vector<std::reference_wrapper<const Collection>> capped() const;
  /// Those with a collection or a view.
  std::set<std::string_view> databases() const;
  /// A database that is about to be made must not differ from another one by upper and lower case alone.
  Status check_spelling(std::string_view db) const;

 private:
  friend class CatalogState;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  std::unordered_map<std::string, std::shared_ptr<const Collection>, NameHash, std::equal_to<>> by_name_;
};

}  // namespace partita::shards
