// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

class Collator;

/// Values of an array, each once: equal as MongoDB compares, so that 1 and 1.0 are one. Looked up without walking over
/// them all, for both the set and what is held against it may be long.
class ValueSet {
 public:
  /// The collation, which may be null, must outlive it.
  explicit ValueSet(const Collator* collation) : collation_(collation) {}
  Status add_all(bson::View array);
  void add(bson::Value value);

  std::size_t size() const { return values_.size(); }
  /// In the order in which they were written.
  bson::Value operator[](std::size_t i) const { return values_[i]; }
  /// Which of them equals `value`.
  std::optional<std::size_t> find(bson::Value value) const;

 private:
  const Collator* collation_;
  std::vector<bson::Value> values_;
  std::vector<std::uint32_t> sorted_;  // Empty as long as there are few.
};

}  // namespace partita::query
