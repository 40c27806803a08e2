// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/array_filters.h"

#include <algorithm>

#include "query/expressions/compiled_expression.h"
#include "query/nested_writer.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alphanumeric(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

Status check_name(std::string_view name) {
  if (!name.empty() && is_lower(name[0]) && std::ranges::all_of(name, is_alphanumeric)) return {};
  return error(Code::BadValue, "The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '",
               name, "'");
}

/// The name that all paths of the filter begin with. What an $elemMatch asks is about elements further down.
Result<std::string_view> name_of(const FilterTree& tree) {
  std::optional<std::string_view> name;
  for (std::uint32_t i = 0, next = 0; i < tree.nodes.size(); i = next) {
    const FilterNode& node = tree.nodes[i];
    next = node.is_elem() ? node.end : i + 1;
    if (node.kind != FilterNode::Kind::kField && !node.is_elem()) continue;
    const std::string_view found = node.path[0].name;
    if (name && *name != found)
      return error(Code::FailedToParse, "Expected a single top-level field name, found '", *name, "' and '", found, "'");
    CHECK_OK(check_name(found));
    name = found;
  }
  if (!name) return error(Code::FailedToParse, "Cannot use an expression without a top-level field name in arrayFilters");
  return *name;
}

struct Parsed {
  std::string name;
  Matcher matcher;
};

Result<Parsed> parse_one(View filter, const Collation& collation) {
  TRY(Matcher matcher, Matcher::parse(filter, {.collation = collation}));
  CHECK_OK(check_asks_of_values(matcher.tree()));
  TRY(const std::string_view name, name_of(matcher.tree()));
  return Parsed{std::string(name), std::move(matcher)};
}

}  // namespace

Result<ArrayFilters> ArrayFilters::parse(Value filters, const Collation& collation) {
  ArrayFilters parsed;
  if (filters.missing()) return parsed;
  for (const bson::Field& filter : filters.as_document()) {
    if (filter.value.is_null()) continue;  // As MongoDB reads lists of objects.
    if (!filter.value.is_document())
      return error(Code::TypeMismatch, "Array filters must be objects, found ", filter.value.type_name());
    CHECK_OK(parsed.add(filter.value.as_document(), collation));
  }
  return parsed;
}

Status ArrayFilters::add(View filter, const Collation& collation) {
  Result<Parsed> parsed = parse_one(filter, collation);
  if (!parsed.ok()) return std::move(parsed).status().with_context("Error parsing array filter :: caused by :: ");
  if (!by_name_.emplace(parsed->name, static_cast<std::uint32_t>(filters_.size())).second)
    return error(Code::FailedToParse, "Found multiple array filters with the same top-level field name ", parsed->name);
  filters_.push_back({std::move(parsed->name), std::move(parsed->matcher)});
  return {};
}

std::optional<std::uint32_t> ArrayFilters::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

bool ArrayFilters::matches(std::uint32_t filter, Value element, bson::Buffer& scratch, MatchState& state) const {
  const One& one = filters_[filter];
  return matches_value(one.matcher, one.name, element, scratch, state);
}

Status ArrayFilters::check_all_used(const std::vector<bool>& used, View update) const {
  for (std::uint32_t i = 0; i < filters_.size(); ++i)
    if (!used[i])
      return error(Code::FailedToParse, "The array filter for identifier '", filters_[i].name, "' was not used in the update ",
                   bson::to_shell(update));
  return {};
}

bool matches_value(const Matcher& matcher, std::string_view name, Value value, bson::Buffer& scratch, MatchState& state) {
  scratch.clear();
  NestedWriter out(scratch);
  out.open_root();
  out.add(name, value);
  out.close();
  return matcher.matches(View::trusted(scratch.data()), state);
}

}  // namespace partita::query
