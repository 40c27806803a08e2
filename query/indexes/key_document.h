// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "query/keys/decode.h"

namespace partita::query {

/// Whether a value that begins so in a key may stand for a field that is not there.
bool may_be_missing(std::uint8_t lead);

/// Documents made of the keys of an index: of those of its fields that a query wants, in the index's order. They answer for
/// the documents that the keys were made of where these have no arrays under the fields. Immutable.
class KeyDocument {
 public:
  struct Field {
    std::string path;
    keys::Direction direction = keys::Direction::kAscending;
    bool wanted = false;
  };
  explicit KeyDocument(std::vector<Field> fields);

  /// What one thread makes them in.
  struct Scratch {
    keys::Decoder decoder;
    bson::Buffer built;
    bson::Buffer passed_over;
  };
  /// Nullopt where the key holds null for a field that is wanted: only the document tells whether the field is there.
  /// Valid until the next call.
  Result<std::optional<bson::View>> make(std::span<const std::uint8_t> key, std::span<const std::uint8_t> type_bits,
                                         Scratch& scratch) const;

 private:
  static Status add(const Field& field, keys::Decoder& decoder, bson::Writer& out);

  std::vector<Field> fields_;  ///< Up to the last one that is wanted.
};

}  // namespace partita::query
