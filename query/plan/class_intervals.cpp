// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/match/type_set.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::TypeClass;

constexpr Type kTypes[] = {Type::kDouble, Type::kString, Type::kDocument, Type::kArray, Type::kBinary, Type::kUndefined, Type::kObjectId,
                           Type::kBool, Type::kDate, Type::kNull, Type::kRegex, Type::kDBPointer, Type::kCode, Type::kSymbol,
                           Type::kCodeWithScope, Type::kInt32, Type::kTimestamp, Type::kInt64, Type::kDecimal128, Type::kMinKey, Type::kMaxKey};

Interval whole(TypeClass low, TypeClass high) {
  return {{.at = IntervalEnd::At::kClassStart, .type_class = low}, {.at = IntervalEnd::At::kClassEnd, .type_class = high}};
}

/// The class that holds all of them; nothing where there are several, or where keys do not tell it: those of an array are its
/// elements', and null is what is missing.
std::optional<TypeClass> class_of(const TypeSet& types) {
  std::optional<TypeClass> only;
  for (const Type type : kTypes) {
    if (!types.has(type)) continue;
    const TypeClass here = bson::type_class(type);
    if (only.value_or(here) != here) return std::nullopt;
    only = here;
  }
  const bool told = only && *only != TypeClass::kArray && *only != TypeClass::kNull && *only != TypeClass::kUndefined;
  return told ? only : std::nullopt;
}

}  // namespace

std::vector<Interval> class_intervals(const FilterTree& filter, std::string_view path, bool sparse) {
  std::vector<Interval> everything;
  for (const FilterNode* node : conjuncts(filter)) {
    if (node->kind != FilterNode::Kind::kField || node->path.text() != path) continue;
    if (node->field_operator->name == "$exists" && sparse) everything = {whole(TypeClass::kMinKey, TypeClass::kMaxKey)};
    if (node->field_operator->name != "$type") continue;
    const auto types = TypeSet::parse(node->operand, path);
    const auto only = types.ok() ? class_of(*types) : std::nullopt;
    if (only) return {whole(*only, *only)};
  }
  const auto is_exists = [](const FilterNode* node) { return node->field_operator->name == "$exists"; };
  if (!everything.empty() || sparse || !std::ranges::any_of(ruled_out(filter, path), is_exists)) return everything;
  return {point(bson::Value::null())};
}

bool asks_for_nothing(const FilterTree& filter) {
  return std::ranges::any_of(conjuncts(filter), [](const FilterNode* node) {
    return node->kind == FilterNode::Kind::kField && node->field_operator->bound == Bound::kIn && node->operand.as_document().empty();
  });
}

}  // namespace partita::query
