// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "query/updates/array_filters.h"
#include "query/updates/field_update.h"
#include "wire/bson/document.h"

namespace partita::query {

/// One name in the tree that the paths of an update make. Children of a node stand side by side, in the order in which
/// missing ones are made: by number where both are numbers, by bytes otherwise.
struct UpdateNode {
  enum class Kind : std::uint8_t {
    kName,      ///< A field, or an element by its place.
    kMatched,   ///< "$": the element that the statement's filter has met.
    kEach,      ///< "$[]": every element.
    kFiltered,  ///< "$[name]": those that an array filter chooses.
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::string_view name;
  Kind kind = Kind::kName;
  std::uint32_t index = PathPart::kNoIndex;  ///< Which element of an array it means.
  std::uint32_t filter = kNone;              ///< kFiltered: which of the array filters.
  std::span<const UpdateNode> children = {};
  /// The numbers of the children in the order of their places in an array; null if they are few.
  const std::uint32_t* by_index = nullptr;
  const FieldUpdate* update = nullptr;  ///< Leaves only.
  const FieldPath* path = nullptr;      ///< Leaves only.
  std::uint32_t source = kNone;         ///< Which of the tree's sources a leaf reads.
  /// The most that anything at or below wants of a missing path, on update and on insert.
  std::array<Demand, 2> demand{};
  bool reads_source = false;  ///< Something at or below does: what it wants depends on the document.
  bool has_matched = false;   ///< One of the children is "$".
  bool uses_matched = false;  ///< There is a "$" somewhere below.

  /// Its children are for elements of an array, whichever these are: all of them are such, or none is.
  bool chooses_elements() const {
    return !children.empty() && (children[0].kind == Kind::kEach || children[0].kind == Kind::kFiltered);
  }
};

struct UpdateTree {
  static constexpr std::size_t kFewChildren = 8;

  struct Leaf {
    FieldPath path;
    std::unique_ptr<const FieldUpdate> update;
    std::uint32_t source = UpdateNode::kNone;
  };
  /// A field that is moved: its value is looked up, and judged, before anything is written.
  struct Source {
    const FieldPath* from;
    const FieldPath* to;
  };

  std::vector<std::unique_ptr<Leaf>> leaves;
  std::vector<UpdateNode> nodes;  ///< The first is the root.
  std::vector<std::uint32_t> by_index;
  std::vector<Source> sources;
  ArrayFilters filters;
  bool touches_id = false;
  bool keeps_id = false;  ///< Of stored documents, what is there of an _id stays; stages may change that of theirs.
  bool reads_clock = false;
  std::vector<std::string_view> dollar_names;  ///< Top-level names that an update may remove but not write.
};

/// The operators of {$set: {...}, $inc: {...}}; operands point into `update`, and to the collation.
Result<UpdateTree> parse_update_operators(bson::View update, ArrayFilters filters = {}, const Collation& collation = nullptr);

/// "9" before "10" before "a": by bytes, but numbers by what they mean.
bool update_order(std::string_view a, std::string_view b);
/// The numbers of nodes in the order of their places in an array.
void order_by_index(std::span<const UpdateNode> nodes, std::uint32_t* numbers);

/// Applies the operators to `before` and appends the new document to `after`. False when nothing changed.
Result<bool> apply_update_operators(const UpdateTree& tree, bson::View before, bson::Buffer& after,
                                    const UpdateContext& context, bool inserting);

}  // namespace partita::query
