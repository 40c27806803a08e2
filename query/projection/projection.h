// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/expressions/compiled_expression.h"

namespace partita::query {

/// One name in the tree that a projection's paths make. Children of a node stand side by side in the vector.
struct ProjectionNode {
  enum class Kind : std::uint8_t { kInner, kKeep, kDrop, kComputed };

  std::string_view name;
  Kind kind = Kind::kInner;
  bool computes = false;  ///< At or below: such a path is made where it is missing.
  std::uint32_t first_child = 0;
  std::uint32_t child_end = 0;
  std::uint32_t expression = 0;  ///< kComputed.
};

struct ProjectionTree {
  static constexpr std::uint32_t kManyChildren = 64;

  std::vector<ProjectionNode> nodes;  ///< The first is the root.
  std::vector<CompiledExpression> expressions;
  bool keeps_unlisted = true;  ///< What happens to fields that no path names.
  /// Of a node with many children: from first_child to child_end their numbers, by name. Empty if no node has many.
  std::vector<std::uint32_t> by_name = {};
};

/// Which fields of a document are answered, and which are computed: compiled once, applied to each document without
/// allocating beyond the arena. Immutable, so many threads may share one.
class Projection {
 public:
  /// find's projection and $project. Fails as MongoDB does for collisions, mixed inclusion and exclusion, empty names.
  static Result<Projection> parse(bson::View spec, const ExpressionContext& context = projection_context());
  /// $addFields: everything stays, each value is an expression.
  static Result<Projection> parse_additions(bson::View spec, const ExpressionContext& context = {});
  /// $unset: these paths go.
  static Result<Projection> drop(const std::vector<std::string_view>& paths);

  /// Adds the projected fields of `document` to `out`: kept ones in the document's order, computed ones that are new
  /// behind them in the order of the specification.
  Status apply(bson::View document, bson::Writer& out, Arena& arena) const;

  bool keeps_everything() const { return tree_.keeps_unlisted && tree_.nodes.size() == 1; }
  /// True for {a: 1}: fields that are not named are left out.
  bool is_inclusion() const { return !tree_.keeps_unlisted; }
  /// Adds the top-level fields of a document that the answer depends on; false when it may be any.
  bool collect_fields(std::set<std::string, std::less<>>& fields) const;
  /// Only those that its expressions read.
  bool collect_computed_from(std::set<std::string, std::less<>>& fields) const;
  /// The top-level fields that the answer may hold with a value that is not the document's own.
  bool overwrites(std::string_view top_level_field) const;

  static ExpressionContext projection_context();

 private:
  bson::Document spec_;  // Names point into it.
  ProjectionTree tree_;
};

}  // namespace partita::query
