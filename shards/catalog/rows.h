// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shards/log/record.h"
#include "wire/bson/document.h"

namespace partita::shards {

/// The catalog's rows, as they lie in its table and travel in the records of log 0. Keys begin with a letter:
///
///     "M"                     what the whole store knows: format, next partition
///     "C" uuid                a collection: name, options, indexes
///     "P" uuid partition(BE)  a partition: the record keys that it begins with, its tables, what it held at first
///     "J" uuid partition(BE)  what a job is about to make of that partition
///     "E" number(BE)          something that happened to partitions: the last few hundred of them
///     "V" db.name             a view: what it is read from, and how
///
/// "S" is kept for settings. Values are BSON documents; unknown fields are kept out, missing ones refused. A store with rows
/// of another kind, or of another format, was written by a later version and is not opened: guessing would damage it.
enum class RowKind : char { kMeta = 'M', kCollection = 'C', kPartition = 'P', kPlan = 'J', kEvent = 'E', kView = 'V' };

struct MetaRow {
  static constexpr std::int32_t kFormat = 2;
  std::int32_t format = kFormat;
  std::uint32_t next_partition = 1;
  bson::ObjectId cluster{};
  // What the server may do of its own accord: anything, split partitions, merge them.
  bool balancing = true;
  bool splitting = true;
  bool merging = true;

  static std::string key() { return "M"; }
  bson::Document encode() const;
  static Result<MetaRow> decode(bson::View row);
};

struct IndexSpec;

struct IndexRow {
  std::uint32_t id = 0;
  bson::Document definition;

  /// What it means in a collection with those options.
  Result<std::shared_ptr<const IndexSpec>> spec(bson::View options) const;
};

struct CollectionRow {
  std::string ns;
  bson::Document options;
  bson::Document sharding;  ///< How it is divided, see Sharding; empty: not by the user.
  std::uint32_t next_index = 1;
  std::vector<IndexRow> indexes;

  CollectionRow copy() const;
  static std::string key(const Uuid& uuid);
  bson::Document encode() const;
  static Result<CollectionRow> decode(bson::View row);
};

struct PartitionRow {
  std::string min;
  /// Whose tables it is in; nullopt: its own.
  std::optional<std::uint32_t> segment;
  /// What it held when it was made.
  std::int64_t documents = 0;
  std::int64_t bytes = 0;
  bson::Date created = {};
  /// Partitions whose retry rows hold for it too, until they have been copied.
  std::vector<PartitionId> inherits;
  /// The partition that it descends from by splits; nullopt: it was there from the start.
  std::optional<PartitionId> origin;

  static std::string key(const Uuid& uuid, PartitionId id);
  bson::Document encode() const;
  static Result<PartitionRow> decode(bson::View row);
};

/// A split that is about to be: written before it has any effect, gone with the record that makes its parts. One that a
/// restart finds has had none, and its ids are not used again.
struct PlanRow {
  std::string cut;                   ///< The first record key of the second part.
  std::vector<PartitionId> makes;

  static std::string key(const Uuid& uuid, PartitionId id);
  bson::Document encode() const;
  static Result<PlanRow> decode(bson::View row);
};

/// What config.changelog shows: written with the change that it tells of, so it is there when that is, and only then.
struct EventRow {
  static constexpr std::uint64_t kKept = 512;

  bson::Date time = {};
  std::string what;  ///< MongoDB's word where it has one: "shardCollection.end", "split".
  std::string ns;
  bson::Document details;

  static std::string key(std::uint64_t number);
  bson::Document encode() const;
  static Result<EventRow> decode(bson::View row);
};

/// A view is a pipeline over a collection, or over another view, of the same database, run whenever somebody reads it.
struct ViewRow {
  bson::Document options;  ///< As create took them: {viewOn, pipeline, collation}.

  std::string_view on() const { return options["viewOn"].as_string(); }
  bson::View pipeline() const { return options["pipeline"].as_document(); }

  static std::string key(std::string_view ns);
  bson::Document encode() const;
  static Result<ViewRow> decode(bson::View row);
};

/// A row's key taken apart.
struct RowKey {
  RowKind kind = RowKind::kMeta;
  Uuid uuid{};
  PartitionId partition{0};
  std::uint64_t event = 0;
  std::string_view ns;  ///< Of a view; points into the key.
  static Result<RowKey> decode(Bytes key);
};

}  // namespace partita::shards
