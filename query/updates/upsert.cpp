// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/upsert.h"

#include <map>

#include "query/updates/storage_rules.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;
using Kind = FilterNode::Kind;

constexpr std::string_view kId = "_id";

/// Paths and the values that the filter demands of them, in the order in which they become fields.
using Equalities = std::map<std::string_view, Value, decltype(&update_order)>;

/// A choice among one is no choice: such an $or and such an $in count as equalities.
std::optional<Value> demanded_value(const FilterNode& node) {
  if (node.kind != Kind::kField) return std::nullopt;
  if (node.field_operator->bound == Bound::kEqual) return node.operand;
  if (node.field_operator->bound != Bound::kIn) return std::nullopt;
  const View list = node.operand.as_document();
  auto at = list.begin();
  if (at == list.end()) return std::nullopt;
  const Value only = at->value;
  return ++at == list.end() && !only.is(bson::Type::kRegex) ? std::optional(only) : std::nullopt;
}

bool has_one_child(const FilterTree& filter, std::size_t node) {
  return node + 1 < filter.nodes[node].end && filter.nodes[node + 1].end == filter.nodes[node].end;
}

bool is_id_path(std::string_view path) { return path == kId || path.starts_with("_id."); }

/// A replacement takes only _id from the filter; what else is demanded does not matter to it.
Result<Equalities> equalities(const FilterTree& filter, bool only_id) {
  Equalities found(&update_order);
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    const bool goes_in = node.kind == Kind::kAnd || (node.kind == Kind::kOr && has_one_child(filter, i));
    i = goes_in ? i + 1 : node.end;
    const auto value = demanded_value(node);
    if (!value || (only_id && !is_id_path(node.path.text()))) continue;
    if (!found.emplace(node.path.text(), *value).second)
      return error(Code::NotSingleValueField, "cannot infer query fields to set, path '", node.path.text(),
                   "' is matched twice");
  }
  return found;
}

Status check_no_prefix(const Equalities& fields) {
  for (const auto& [path, value] : fields)
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
      if (fields.contains(path.substr(0, dot)))
        return error(Code::NotSingleValueField, "cannot infer query fields to set, both paths '", path, "' and '",
                     path.substr(0, dot), "' are matched");
  return {};
}

/// A part of _id does not tell a replacement's _id.
Status check_whole_id(const Equalities& fields) {
  for (const auto& [path, value] : fields)
    if (path != kId)
      return error(Code::NotExactValueField, "field at '_id' must be exactly specified, field at sub-path '", path,
                   "'found");
  return {};
}

/// What a replacement takes over must be an _id as it stands; for operators the finished document is judged.
Status check_replacement_id(const Equalities& fields) {
  const auto id = fields.find(kId);
  if (id == fields.end() || !id->second.is_array()) return {};
  return error(Code::NotSingleValueField, "After applying the update to the document, the (immutable) field '_id' was "
                                          "found to be an array or array descendant.");
}

/// The equalities as a document: what a $set of them all makes of an empty one.
Result<bson::Document> build(const Equalities& fields) {
  if (fields.empty()) return bson::Document();
  const auto operators = bson::Document::build([&](bson::Writer& update) {
    bson::Writer set = update.document("$set");
    for (const auto& [path, value] : fields) set.add(path, value);
  });
  TRY(const UpdateTree tree, parse_update_operators(operators));
  bson::Buffer made;
  CHECK_OK(apply_update_operators(tree, View(), made, {}, true).status());
  return bson::Document(std::move(made));
}

bson::Document id_first(View document, bson::ObjectId fresh_id) {
  return bson::Document::build([&](bson::Writer& out) {
    const Value id = document[kId];
    id.missing() ? out.add(kId, fresh_id) : out.add(kId, id);
    for (auto at = document.begin(); at != document.end(); ++at)
      if (at->name != kId) out.elements(at.element(), at.next());
  });
}

bool asks_about_document(const FilterTree& filter) {
  for (const FilterNode& node : filter.nodes)
    if (node.kind == Kind::kDocument) return true;
  return false;
}

}  // namespace

Status check_upsert_filter(const FilterTree& filter) {
  if (!asks_about_document(filter)) return {};
  return error(Code::QueryFeatureNotAllowed, "$expr is not allowed in the query predicate for an upsert");
}

Result<bson::Document> make_upsert(const FilterTree& filter, const Update& update, bson::ObjectId fresh_id,
                                   const UpdateContext& context) {
  CHECK_OK(check_upsert_filter(filter));
  TRY(const Equalities fields, equalities(filter, update.is_replacement()));
  CHECK_OK(check_no_prefix(fields));
  if (update.is_replacement()) CHECK_OK(check_whole_id(fields));
  if (update.is_replacement()) CHECK_OK(check_replacement_id(fields));
  TRY(const bson::Document base, build(fields));
  bson::Buffer made;
  TRY(const UpdateOutcome outcome, update.apply_on_insert(base, made, context));
  const View document = outcome.modified ? View::trusted(made.data()) : base.view();
  bson::Document inserted = id_first(document, fresh_id);
  CHECK_OK(check_storable(inserted));
  return inserted;
}

}  // namespace partita::query
