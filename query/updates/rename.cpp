// SPDX-License-Identifier: GPL-3.0-or-later
// $rename is two leaves of the tree: one removes the field where it was, one writes it where it goes. So collisions of
// either path with others are found like any. The value is looked up before both.
#include "query/updates/rename.h"

#include "query/updates/storage_rules.h"
#include "query/updates/update_path.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class Arrival : public FieldUpdate {
 public:
  Result<Effect> apply(UpdateTarget& target) const override {
    const Value moved = target.source();
    if (moved.missing()) return target.keep();
    if (static_cast<int>(target.path().size()) + levels_of(moved) > kMostLevels)
      return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
    return target.set(moved);
  }
};

class Departure : public FieldUpdate {
 public:
  Result<Effect> apply(UpdateTarget& target) const override { return target.remove(); }
  Demand demand(bool) const override { return Demand::kNothing; }
};

bool leads_into(const FieldPath& a, const FieldPath& b) { return a.size() < b.size() && b.prefix(a.size()) == a.text(); }

Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath& from, Value operand, const Collation&) {
  const auto written = [&] { return bson::to_shell(bson::Field{from.text(), operand}); };
  if (!operand.is_string()) return error(Code::BadValue, "The 'to' field for $rename must be a string: ", written());
  if (operand.as_string().find('\0') != std::string_view::npos)
    return error(Code::BadValue, "The 'to' field for $rename cannot contain an embedded null byte");
  const FieldPath to(operand.as_string());
  if (from == to) return error(Code::BadValue, "The source and target field for $rename must differ: ", written());
  if (leads_into(from, to) || leads_into(to, from))
    return error(Code::BadValue, "The source and target field for $rename must not be on the same path: ", written());
  if (is_dynamic(from)) return error(Code::BadValue, "The source field for $rename may not be dynamic: ", from.text());
  if (is_dynamic(to)) return error(Code::BadValue, "The destination field for $rename may not be dynamic: ", to.text());
  return std::make_unique<Arrival>();
}

Status through_array(std::string_view which, View document, const FieldPath& path, std::string_view array) {
  return error(Code::BadValue, "The ", which, " field cannot be an array element, '", path.text(), "' in doc with ",
               id_text(document), " has an array field called '", array, "'");
}

/// The destination may be an array, but not lead through one.
Status check_destination(View document, const FieldPath& to, FieldLookup* lookup) {
  std::size_t part = 0;
  const Value found = descend(document, to, part, lookup);
  if (!found.is_array() || part == to.size()) return {};
  return through_array("destination", document, to, to[part - 1].name);
}

Status not_viable(const FieldPath& path, std::size_t part, Value at) {
  return error(Code::PathNotViable, "cannot use the part (", path[part].name, " of ", path.text(),
               ") to traverse the element ({", path[part - 1].name, ": ", bson::to_shell(at), "})");
}

/// The element at a place, where the name is one.
Value element_at(View array, const PathPart& part) {
  if (!part.is_index()) return {};
  std::uint32_t place = 0;
  for (auto at = array.begin(); at != array.end(); ++at)
    if (place++ == part.index) return at->value;
  return {};
}

using Register = RegisterEntry<UpdateOperator>;

const Register kRename{{
    .name = "$rename",
    .summary = "Moves the value to another field, nested or not; what stood there goes.",
    .parse = parse,
    .examples = {{"{$rename: {a: 'b'}}", "{_id: 1, a: 5, c: 1}", "{_id: 1, c: 1, b: 5}"},
                 {"{$rename: {a: 'b.c'}}", "{_id: 1, a: {x: 1}}", "{_id: 1, b: {c: {x: 1}}}"},
                 {"{$rename: {a: 'b'}}", "{_id: 1, b: 1}", "{_id: 1, b: 1}"},
                 {"{$rename: {a: 'b.0'}}", "{_id: 1, a: 5, b: [1]}", "error 2"},
                 {"{$rename: {a: 'a.b'}}", "{_id: 1, a: 5}", "error 2"},
                 {"{$rename: {a: 5}}", "{_id: 1, a: 5}", "error 2"}},
    .moves = true,
}};

}  // namespace

std::unique_ptr<const FieldUpdate> make_departure() { return std::make_unique<Departure>(); }

Result<Value> find_moved(View document, const FieldPath& from, const FieldPath& to, FieldLookup* lookup) {
  Value found = Value::of(document);
  std::string_view array;  // The innermost on the way.
  for (std::size_t part = 0; part < from.size() && !found.missing(); ++part) {
    if (found.is_document()) {
      found = lookup != nullptr ? lookup->find(found.as_document(), from[part].name) : found.as_document()[from[part].name];
    } else if (found.is_array() && from[part].is_index()) {
      array = from[part - 1].name;
      found = element_at(found.as_document(), from[part]);
    } else {
      return not_viable(from, part, found);
    }
  }
  if (found.missing()) return found;
  if (!array.empty()) return through_array("source", document, from, array);
  CHECK_OK(check_destination(document, to, lookup));
  return found;
}

}  // namespace partita::query
