// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/indexes/index_keys.h"
#include "query/sort/external_sort.h"
#include "shards/catalog/collection.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// How an index's entries lie in its table:
///
///     ordinary   key = encoded fields · record key    value = type bits
///     unique     key = encoded fields                 value = length of record key (varint) · record key · type bits
///
/// so that two documents with equal fields collide in a unique index and stand side by side in any other.

/// Adds and removes the entries of one document. Keeps its buffers; one per session and thread.
template <class Session>
class BasicIndexWriter {
 public:
  /// Whether an index that shall become unique takes a second document with the same fields: where entries are made of
  /// documents that are there already, it does.
  enum class Twins : std::uint8_t { kRefuse, kTake };
  explicit BasicIndexWriter(Twins twins = Twins::kRefuse) : twins_(twins) {}

  /// Fails with DuplicateKey, naming index and values, when a unique index has the fields already.
  Status insert(Session& session, PartitionIndex& index, Bytes record_key, bson::View document);
  Status remove(Session& session, PartitionIndex& index, Bytes record_key, bson::View document);
  /// The rows that insert() would write go to be sorted, for a table that is filled in order.
  Status collect(PartitionIndex& index, Bytes record_key, bson::View document, query::ExternalSort& rows);
  /// Only what differs between the two is touched; nothing is looked at when the fields hold the same bytes.
  Status update(Session& session, PartitionIndex& index, Bytes record_key, bson::View before, bson::View after);

  /// An update in two halves, for many documents whose values may have moved from one to another: first all old entries
  /// go, then the new ones come. Nothing stands for a document that is not there.
  using Version = std::optional<bson::View>;
  Status retract(Session& session, PartitionIndex& index, Bytes record_key, Version before, Version after);
  Status extend(Session& session, PartitionIndex& index, Bytes record_key, Version before, Version after);

  struct Presence {
    std::int64_t entries = 0;  ///< That the document must have.
    std::int64_t missing = 0;  ///< Of them: not there, or another document's.
  };
  /// For checking an index against its documents; changes nothing.
  Result<Presence> check(Session& session, const PartitionIndex& index, Bytes record_key, bson::View document);

 private:
  using Cursor = std::remove_cvref_t<decltype(*std::declval<Session&>().cursor(kNoTable))>;

  void lay_out(const IndexSpec& spec, Bytes record_key, std::size_t entry, const query::IndexKeys& keys);
  Status put(Cursor& cursor, const PartitionIndex& index, Bytes record_key, std::size_t entry,
             const query::IndexKeys& keys);
  Status refuse_twin(Cursor& cursor, const IndexSpec& spec, Bytes fields, Bytes type_bits);
  Status erase(Cursor& cursor, const PartitionIndex& index, Bytes record_key, std::size_t entry,
               const query::IndexKeys& keys);

  /// Fills erased_ and added_.
  Status compare(PartitionIndex& index, Version before, Version after);
  using Step = Status (BasicIndexWriter::*)(Cursor& cursor, const PartitionIndex& index, Bytes record_key);
  /// One half of what leads from one version to the other.
  Status take_step(Session& session, PartitionIndex& index, Bytes record_key, Version before, Version after, Step step);
  Status erase_old(Cursor& cursor, const PartitionIndex& index, Bytes record_key);
  Status add_new(Cursor& cursor, const PartitionIndex& index, Bytes record_key);
  void note_multikey(PartitionIndex& index);

  Twins twins_;
  query::IndexKeys before_;
  query::IndexKeys after_;
  std::vector<std::uint32_t> erased_;  ///< Of before_: what an update takes away.
  std::vector<std::uint32_t> added_;   ///< Of after_: what it brings.
  bson::Buffer key_;
  bson::Buffer value_;
};
using IndexWriter = BasicIndexWriter<Session>;

/// What comes before the value of one field at the beginning of a key: its hash, or its path.
std::size_t size_before_value(query::KeyForm form, Bytes key);
/// The length of one field at the beginning of a key.
std::size_t part_size(query::KeyForm form, query::keys::Direction direction, Bytes key);
/// The record key inside an entry.
Bytes record_key_of(const IndexSpec& spec, Bytes key, Bytes value);
Bytes type_bits_of(const IndexSpec& spec, Bytes value);

/// Two documents with the same fields in a unique index, of which one has the entry.
Status index_collision(const IndexSpec& spec, Bytes key, Bytes value);

/// E11000 as MongoDB words it, with keyPattern and keyValue beside it. Who knows the collection's name writes it; below,
/// a collision is a DuplicateKey whose message is the index's name and whose details are the two documents.
Status duplicate_key(std::string_view ns, const Status& collision);
/// The same of a record key, which is an index on _id to those who read it.
Status duplicate_id(std::string_view ns, std::string_view index_name, bson::Value id, const query::Collator* collation);

}  // namespace partita::shards
