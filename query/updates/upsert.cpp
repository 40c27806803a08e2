// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/upsert.h"

#include <map>

#include "query/updates/storage_rules.h"
#include "wire/bson/compare.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;
using Kind = FilterNode::Kind;

constexpr std::string_view kId = "_id";

/// Paths and the values that the filter demands of them, in the order in which they become fields.
using Equalities = std::map<std::string_view, Value, decltype(&update_order)>;

/// A choice among one is no choice: such an $or and such an $in count as equalities.
std::optional<Value> demanded_value(const FilterTree& filter, const FilterNode& node) {
  if (node.kind != Kind::kField) return std::nullopt;
  if (node.field_operator->bound == Bound::kEqual) return node.operand;
  if (node.field_operator->bound != Bound::kIn) return std::nullopt;
  const View list = node.operand.as_document();
  const View written = filter.filter;
  const bool is_made = list.data() < written.data() || list.data() >= written.data() + written.size();  // Of an $or: a choice.
  if (is_made || list.empty()) return std::nullopt;
  const Value first = list.begin()->value;
  for (const auto& [name, value] : list)
    if (value.is(bson::Type::kRegex) || !bson::equal(first, value, filter.collation.get())) return std::nullopt;
  return first;
}

/// Of each node, whether nothing can match it: it has a clause that says so, as $all of nothing does.
std::vector<bool> hopeless(const FilterTree& filter) {
  std::vector<bool> hopeless(filter.nodes.size());
  for (std::size_t node = filter.nodes.size(); node-- > 0;) {
    const Kind kind = filter.nodes[node].kind;
    if (kind != Kind::kAnd && kind != Kind::kOr) continue;
    bool any = false;
    bool all = true;
    for (std::size_t child = node + 1; child < filter.nodes[node].end; child = filter.nodes[child].end) {
      any = any || hopeless[child];
      all = all && hopeless[child];
    }
    hopeless[node] = kind == Kind::kOr ? all : any;
  }
  return hopeless;
}

bool has_one_hope(const FilterTree& filter, const std::vector<bool>& hopeless, std::size_t node) {
  int hopes = 0;
  for (std::size_t child = node + 1; child < filter.nodes[node].end && hopes < 2; child = filter.nodes[child].end)
    hopes += hopeless[child] ? 0 : 1;
  return hopes == 1;
}

bool is_id_path(std::string_view path) { return path == kId || path.starts_with("_id."); }

/// A replacement takes only _id from the filter; what else is demanded does not matter to it.
Result<Equalities> equalities(const FilterTree& filter, bool only_id) {
  Equalities found(&update_order);
  const std::vector<bool> without_hope = hopeless(filter);
  for (std::size_t i = 0; i < filter.nodes.size();) {
    const FilterNode& node = filter.nodes[i];
    const bool goes_in = !without_hope[i] && (node.kind == Kind::kAnd || (node.kind == Kind::kOr && has_one_hope(filter, without_hope, i)));
    i = goes_in ? i + 1 : node.end;
    const auto value = demanded_value(filter, node);
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
