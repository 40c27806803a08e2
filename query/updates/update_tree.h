// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/updates/field_update.h"
#include "wire/bson/document.h"

namespace partita::query {

/// One name in the tree that the paths of an update make. Children of a node stand side by side, in the order in which
/// missing ones are made: by number where both are numbers, by bytes otherwise.
struct UpdateNode {
  std::string_view name;
  std::uint32_t index = PathPart::kNoIndex;  ///< Which element of an array it means.
  std::uint32_t first_child = 0;
  std::uint32_t child_end = 0;
  const FieldUpdate* update = nullptr;  ///< Leaves only.
  const FieldPath* path = nullptr;      ///< Leaves only.
  /// Whether anything at or below makes its field, on update and on insert.
  std::array<bool, 2> creates{};
};

struct UpdateTree {
  struct Leaf {
    FieldPath path;
    std::unique_ptr<const FieldUpdate> update;
  };
  std::vector<std::unique_ptr<Leaf>> leaves;
  static constexpr std::uint32_t kFewChildren = 8;
  std::vector<UpdateNode> nodes;  ///< The first is the root.
  /// From first_child to child_end the numbers of a node's children in the order of their places in an array. Empty if no
  /// node has more than a few.
  std::vector<std::uint32_t> by_index;
  bool touches_id = false;
  std::vector<std::string_view> dollar_names;  ///< Top-level names that an update may remove but not write.
};

/// The operators of {$set: {...}, $inc: {...}}; operands point into `update`.
Result<UpdateTree> parse_update_operators(bson::View update);

/// "9" before "10" before "a": by bytes, but numbers by what they mean.
bool update_order(std::string_view a, std::string_view b);

/// Applies the operators to `before` and appends the new document to `after`. False when nothing changed.
Result<bool> apply_update_operators(const UpdateTree& tree, bson::View before, bson::Buffer& after, bool inserting);

}  // namespace partita::query
