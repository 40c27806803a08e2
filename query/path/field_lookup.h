// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <vector>

#include "query/path/field_path.h"

namespace partita::query {

/// Finds fields of one document for somebody who asks for very many of them, so that the time does not grow with the
/// product of both. Walks at first, as View does; where that has cost several times the length of a document, at any
/// depth, its names are sorted once. Lives no longer than the document; one thread.
class FieldLookup {
 public:
  /// Who names fewer paths does better without.
  static constexpr std::size_t kManyPaths = 64;

  /// The first field of that name; missing where there is none.
  bson::Value find(bson::View document, std::string_view name);

 private:
  struct Known {
    std::size_t walked = 0;           ///< Bytes.
    std::vector<bson::Field> sorted;  ///< By name, fields of one name in their order. Empty: not yet.
  };
  static bson::Value walk(bson::View document, std::string_view name, std::size_t& walked);

  std::map<const std::uint8_t*, Known> known_;  ///< By where a document begins; large ones only.
};

bson::Value descend_many(bson::View document, const FieldPath& path, std::size_t& part, FieldLookup& lookup);
/// As descend() without it; `lookup` may be nullptr.
inline bson::Value descend(bson::View document, const FieldPath& path, std::size_t& part, FieldLookup* lookup) {
  return lookup == nullptr ? descend(document, path, part) : descend_many(document, path, part, *lookup);
}

}  // namespace partita::query
