// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/path/field_path.h"
#include "wire/bson/document.h"

namespace partita::query {

/// One name in the tree that a projection's paths make. Children of a node stand side by side in the vector.
struct ProjectionNode {
  enum class Kind : std::uint8_t { kInner, kKeep, kDrop };

  std::string_view name;
  Kind kind = Kind::kInner;
  std::uint32_t first_child = 0;
  std::uint32_t child_end = 0;
};

/// Which fields of a document are answered: compiled once, applied to each document without allocating.
/// Immutable, so many threads may share one.
class Projection {
 public:
  /// Fails as MongoDB does for collisions, a mix of inclusion and exclusion, empty names.
  static Result<Projection> parse(bson::View spec);

  /// Adds the projected fields of `document` to `out`, in the document's order.
  void apply(bson::View document, bson::Writer& out) const;

  bool keeps_everything() const { return keeps_unlisted_ && nodes_.size() == 1; }
  /// True for {a: 1}: fields that are not named are left out.
  bool is_inclusion() const { return !keeps_unlisted_; }
  /// The top-level fields that the answer is made of; meaningful for inclusions.
  std::vector<std::string_view> included_fields() const;

 private:
  bson::Document spec_;  // Names point into it.
  std::vector<ProjectionNode> nodes_;
  bool keeps_unlisted_ = true;
};

}  // namespace partita::query
