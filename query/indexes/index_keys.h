// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/keys/encode.h"
#include "query/keys/path_tuples.h"
#include "query/path/field_path.h"

namespace partita::query {

/// One field of an index.
struct IndexField {
  FieldPath path;
  keys::Direction direction = keys::Direction::kAscending;
};

/// The keys that one document has in one index, encoded, sorted, each once. Used again for the next document.
class IndexKeys {
 public:
  using Bytes = std::span<const std::uint8_t>;
  std::size_t size() const { return entries_.size(); }
  Bytes key(std::size_t i) const { return slice(entries_[i].key, entries_[i].key_size); }
  Bytes type_bits(std::size_t i) const { return slice(entries_[i].bits, entries_[i].bits_size); }
  /// Bit n: field n led through an array.
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
};

/// Makes keys as MongoDB does: those of PathTuples, with what is missing as null. A sparse index leaves out tuples of
/// which nothing is there. Documents without arrays under the fields take a short way, on which nothing is allocated.
class IndexKeyMaker {
 public:
  IndexKeyMaker(std::vector<IndexField> fields, bool sparse);
  IndexKeyMaker(const IndexKeyMaker&) = delete;  // Paths are looked into.
  IndexKeyMaker& operator=(const IndexKeyMaker&) = delete;

  const std::vector<IndexField>& fields() const { return fields_; }
  /// Fails as PathTuples does: CannotIndexParallelArrays, Location16746.
  Status make(bson::View document, IndexKeys& out) const;
  /// Whether the two documents hold the same bytes wherever the fields begin: then they have the same keys. May be false
  /// for others with the same keys.
  bool touches_nothing(bson::View before, bson::View after) const;

 private:
  bool make_plain(bson::View document, IndexKeys& out) const;
  Status make_tuples(bson::View document, IndexKeys& out) const;

  std::vector<IndexField> fields_;
  std::vector<std::string_view> paths_;
  bool sparse_;
};

}  // namespace partita::query
