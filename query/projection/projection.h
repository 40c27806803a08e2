// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "query/expressions/compiled_expression.h"
#include "query/match/matcher.h"
#include "query/projection/meta.h"

namespace partita::query {

/// One name in the tree that a projection's paths make. Children of a node stand side by side in the vector.
struct ProjectionNode {
  enum class Kind : std::uint8_t { kInner, kKeep, kDrop, kComputed, kSlice };

  std::string_view name;
  Kind kind = Kind::kInner;
  bool computes = false;    ///< At or below: such a path is made where it is missing.
  bool positional = false;  ///< On the way of "a.b.$", or its end: of the first array met only one element stays.
  std::uint32_t first_child = 0;
  std::uint32_t child_end = 0;
  std::uint32_t operand = 0;  ///< kComputed, kSlice: which one of the tree's.
};

/// {a: {$elemMatch: {...}}}: the first element of a top-level array that satisfies a filter, as an array of one.
struct ElementMatch {
  std::string_view name;
  Matcher matcher;  ///< Of {name: {$elemMatch: {...}}}.
};

/// {a: {$slice: n}}, {a: {$slice: [skip, limit]}}: a stretch of an array. Places count from its end where they are negative.
struct Slice {
  std::int64_t skip = 0;
  std::int64_t limit = 0;

  /// Where the stretch begins and ends in an array of that length.
  std::pair<std::int64_t, std::int64_t> within(std::int64_t length) const;
};

using ComputedField = std::variant<CompiledExpression, ElementMatch, Meta>;

struct ProjectionTree {
  static constexpr std::uint32_t kManyChildren = 64;

  std::vector<ProjectionNode> nodes;  ///< The first is the root.
  std::vector<ComputedField> computed;
  std::vector<Slice> slices;
  bool keeps_unlisted = true;  ///< What happens to fields that no path names.
  /// Of a node with many children: from first_child to child_end their numbers, by name. Empty if no node has many.
  std::vector<std::uint32_t> by_name = {};
};

/// A document to be projected, and what is known of it beside its fields.
struct ProjectionInput {
  bson::View document;
  std::int64_t element = -1;    ///< MatchState::element, for a projection that is_positional().
  MetaSource* meta = nullptr;   ///< Null: nothing is known.
  MatchState* state = nullptr;  ///< For $elemMatch, so that many documents need its memory once. Null: one of its own.

  ProjectionInput(bson::View view, std::int64_t matched = -1, MetaSource* source = nullptr,  // NOLINT: a document will do.
                  MatchState* match_state = nullptr)
      : document(view), element(matched), meta(source), state(match_state) {}
};

/// Which fields of a document are answered, and which are computed: compiled once, applied to each document without
/// allocating beyond the arena. Immutable, so many threads may share one.
class Projection {
 public:
  /// $project. Fails as MongoDB does for collisions, mixed inclusion and exclusion, empty names.
  static Result<Projection> parse(bson::View spec, const ExpressionContext& context = {});
  /// find's projection, which knows $slice, $elemMatch and "a.$" as well.
  static Result<Projection> parse_for_find(bson::View spec, const ExpressionContext& context = {});
  /// $addFields: everything stays, each value is an expression.
  static Result<Projection> parse_additions(bson::View spec, const ExpressionContext& context = {});
  /// $unset: these paths go.
  static Result<Projection> drop(const std::vector<std::string_view>& paths);

  /// Adds the projected fields of `document` to `out`: kept ones in the document's order, computed ones that are new
  /// behind them in the order of the specification.
  Status apply(const ProjectionInput& input, bson::Writer& out, Arena& arena) const;

  /// Shows one element of an array, which has to be told.
  bool is_positional() const { return tree_.nodes[0].positional; }
  bool asks_for(Meta meta) const;
  bool asks_for_meta() const;
  /// Fails where it asks for what only another query makes known.
  Status check_metas(KnownBeside known = {}) const;
  /// Adds only the top-level fields that are to hold that, behind what is there.
  Status apply_meta(Meta meta, const ProjectionInput& input, bson::Writer& out, Arena& arena) const;
  bool keeps_everything() const { return tree_.keeps_unlisted && tree_.nodes.size() == 1; }
  /// True for {a: 1}: fields that are not named are left out.
  bool is_inclusion() const { return !tree_.keeps_unlisted; }
  /// Adds the top-level fields of a document that the answer depends on; false when it may be any.
  bool collect_fields(std::set<std::string, std::less<>>& fields) const;
  /// Adds the paths that the answer depends on, whole where it does nothing but keep them; false when it may be any.
  bool collect_paths(std::vector<std::string>& paths) const;
  /// Only those that its expressions read.
  bool collect_computed_from(std::set<std::string, std::less<>>& fields) const;
  /// Whether all that the path leads to, by way of arrays too but by no places in them, is the same in the answer.
  bool leaves_alone(const FieldPath& path) const;
  /// The top-level fields that the answer may hold with a value that is not the document's own.
  bool overwrites(std::string_view top_level_field) const;

 private:
  bson::Document spec_;  // Names point into it.
  ProjectionTree tree_;
};

}  // namespace partita::query
