// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/operator.h"
#include "wire/bson/document.h"

namespace partita::query {

/// A parsed filter: its nodes in the order they were written, each before its children.
/// The children of node i begin at i + 1; the subtree of node i ends before `end`.
struct FilterNode {
  enum class Kind : std::uint8_t { kAnd, kOr, kNor, kNot, kField, kDocument };

  Kind kind = Kind::kAnd;
  std::uint32_t end = 0;
  FieldPath path = {};                                  ///< kField.
  const MatchOperator* field_operator = nullptr;        ///< kField: which one.
  bson::Value operand = {};                             ///< kField: what it compares with.
  std::unique_ptr<const Predicate> predicate = nullptr;  ///< kField and kDocument.

  bool is_leaf() const { return kind == Kind::kField || kind == Kind::kDocument; }
};

struct FilterTree {
  bson::Document filter;  ///< A copy that every operand points into.
  std::vector<FilterNode> nodes;
};

constexpr std::size_t kMaxFilterDepth = 100;

Result<FilterTree> parse_filter(bson::View filter);

}  // namespace partita::query
