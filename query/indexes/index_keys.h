// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/keys/encode.h"
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

 private:
  friend class IndexKeyMaker;
  struct Entry {
    std::uint32_t key, key_size, bits, bits_size;
  };
  Bytes slice(std::uint32_t at, std::uint32_t size) const { return bytes_.bytes().subspan(at, size); }

  std::vector<Entry> entries_;
  bson::Buffer bytes_;
  std::uint64_t multikey_ = 0;
  // Scratch of the maker: the frames still to be worked off, `fields` places to a frame.
  struct Place {
    bson::Value value;
    std::uint32_t part = 0;      ///< How many names of the path lie behind.
    bool element = false;        ///< Stepped into as an array's element: not expanded a second time.
  };
  std::vector<Place> places_;
  keys::TypeBits types_;
};

/// Makes keys as MongoDB does: a field whose path meets an array has one key per element, an empty array counts as
/// undefined, what is missing as null; a compound index may meet one array only, at one place. Iterative.
class IndexKeyMaker {
 public:
  IndexKeyMaker(std::vector<IndexField> fields, bool sparse) : fields_(std::move(fields)), sparse_(sparse) {}

  const std::vector<IndexField>& fields() const { return fields_; }
  /// CannotIndexParallelArrays when two fields meet different arrays.
  Status make(bson::View document, IndexKeys& out) const;

 private:
  using Place = IndexKeys::Place;
  void advance(Place& place, const FieldPath& path) const;
  bool waits_at_array(const Place& place, const FieldPath& path) const;
  Status expand(std::vector<Place> frame, IndexKeys& out) const;
  void emit(const Place* frame, IndexKeys& out) const;

  std::vector<IndexField> fields_;
  bool sparse_;
};

}  // namespace partita::query
