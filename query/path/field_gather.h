// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/arena.h"

namespace partita::query {

/// Finds several top-level fields of a document in one pass over it, where finding them one by one would begin anew for
/// each. Made once, used for every document; the first field of a name counts. Immutable after add().
class FieldGather {
 public:
  static constexpr std::size_t kMostNames = 64;

  /// Up to kMostNames different names; the place of the name's value in what gather() fills, nullopt when there is no
  /// room left.
  std::optional<std::size_t> add(std::string_view name);
  std::size_t size() const { return names_.size(); }
  /// `values` has room for size() values; those that are not there become missing.
  void gather(bson::View document, bson::Value* values) const;
  /// A document of these fields alone, in the order of `document`, which may be gone afterwards.
  bson::View cut(bson::View document, Arena& arena) const;

 private:
  static std::uint64_t length_bit(std::size_t length) { return std::uint64_t{1} << (length & 63); }
  /// Calls found(place, element, payload, end) for the first field of each name.
  template <class Found>
  void walk(bson::View document, Found found) const;

  std::vector<std::string> names_;
  std::uint64_t lengths_ = 0;  // Bit n: a name has n bytes. Most fields are passed over by this alone.
};

}  // namespace partita::query
