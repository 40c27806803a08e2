// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "query/sort/element_order.h"
#include "query/updates/array_build.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

struct PushOperand {
  std::vector<Value> values;
  std::optional<std::int64_t> position;
  std::optional<std::int64_t> slice;
  std::optional<ElementOrder> order;
  int depth = 1;
};

/// Which of all elements stay: a positive $slice keeps so many at the front, a negative one at the end.
struct Kept {
  std::size_t from;
  std::size_t to;
};
Kept keep_slice(std::size_t count, const std::optional<std::int64_t>& slice) {
  if (!slice) return {0, count};
  const std::uint64_t most = *slice < 0 ? 0 - static_cast<std::uint64_t>(*slice) : static_cast<std::uint64_t>(*slice);
  if (most >= count) return {0, count};
  return *slice < 0 ? Kept{count - most, count} : Kept{0, most};
}

/// Where the values go in: a negative $position counts from the end.
std::size_t insert_place(std::size_t count, const std::optional<std::int64_t>& position) {
  if (!position) return count;
  const auto end = static_cast<std::int64_t>(count);
  return static_cast<std::size_t>(*position < 0 ? std::max<std::int64_t>(0, *position < -end ? 0 : end + *position)
                                                : std::min(end, *position));
}

class Push : public FieldUpdate {
 public:
  explicit Push(PushOperand operand) : operand_(std::move(operand)) {}

  /// Sorting elements counts as a change, whatever comes of it, and so does what is pushed and cut off again.
  Result<Effect> apply(UpdateTarget& target) const override {
    const Value before = target.before();
    if (!before.missing() && !before.is_array())
      return error(Code::BadValue, "The field '", target.path().text(), "' must be an array but is of type ",
                   before.type_name(), " in document ", id_text(target.document()));
    const View array = before.missing() ? View() : before.as_document();
    const std::size_t count = array.count();
    const Kept kept = keep_slice(count + operand_.values.size(), operand_.slice);
    const bool cuts = kept.to - kept.from < count;
    const bool changes = !operand_.values.empty() || cuts || (operand_.order && count > 0);
    if (!changes && !before.missing()) return target.keep();
    ArrayBuild after(target);
    if (operand_.order) {
      CHECK_OK(write_sorted(array, kept, after));
    } else {
      write(array, count, kept, after);
    }
    return after.finish();
  }
  int depth() const override { return operand_.depth; }

 private:
  /// What stands before the first new element stays as it is.
  void write(View array, std::size_t count, Kept kept, ArrayBuild& after) const {
    const std::size_t place = insert_place(count, operand_.position);
    std::size_t number = 0;
    auto at = array.begin();
    if (kept.from == 0) {
      const std::size_t front = std::min(place, kept.to);
      const std::uint8_t* end = array.data() + 4;
      for (; number < front; ++number, ++at) end = at.next();
      after.keep_front(array, end, static_cast<std::uint32_t>(front));
    }
    const auto push = [&](Value value) {
      if (number >= kept.from && number < kept.to) after.push(value);
      ++number;
    };
    for (; number < place && number < kept.to; ++at) push(at->value);
    for (const Value value : operand_.values) push(value);
    for (; at != array.end() && number < kept.to; ++at) push(at->value);
  }

  Status write_sorted(View array, Kept kept, ArrayBuild& after) const {
    std::vector<Value> all;
    for (auto at = array.begin(); at != array.end(); ++at) all.push_back(at->value);
    const auto place = static_cast<std::ptrdiff_t>(insert_place(all.size(), operand_.position));
    all.insert(all.begin() + place, operand_.values.begin(), operand_.values.end());
    CHECK_OK(operand_.order->sort(all));
    for (std::size_t i = kept.from; i < kept.to; ++i) after.push(all[i]);
    return {};
  }

  PushOperand operand_;
};

Result<std::int64_t> whole_number(Value value, std::string_view clause, std::string_view but) {
  if (const auto whole = value.exact_int64()) return *whole;
  return error(Code::BadValue, "The value for ", clause, " must be an integer value", but, value.type_name());
}

Status read_clause(const bson::Field& clause, const Collation& collation, PushOperand& operand) {
  if (clause.name == "$each") {
    if (!clause.value.is_array())
      return error(Code::BadValue, "The argument to $each in $push must be an array but it was of type: ", clause.value.type_name());
    for (const bson::Field& element : clause.value.as_document()) operand.values.push_back(element.value);
    operand.depth = levels_of(clause.value);
  } else if (clause.name == "$slice") {
    TRY(operand.slice, whole_number(clause.value, clause.name, " but was given type: "));
  } else if (clause.name == "$position") {
    TRY(operand.position, whole_number(clause.value, clause.name, ", not of type: "));
  } else if (clause.name == "$sort") {
    TRY(operand.order, ElementOrder::parse(clause.value, collation.get()));
  } else {
    return error(Code::BadValue, "Unrecognized clause in $push: ", clause.name);
  }
  return {};
}

/// An object with $each in it is made of clauses; anything else is the value to push.
Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value value, const Collation& collation) {
  PushOperand operand;
  if (!value.is_document() || !value.as_document().has("$each")) {
    operand.values.push_back(value);
    operand.depth = 1 + levels_of(value);
    return std::make_unique<Push>(std::move(operand));
  }
  std::vector<std::string_view> seen;
  for (const bson::Field& clause : value.as_document()) {
    if (std::ranges::find(seen, clause.name) != seen.end())
      return error(Code::BadValue, "Only one ", clause.name, " is supported.");
    CHECK_OK(read_clause(clause, collation, operand));
    seen.push_back(clause.name);
  }
  return std::make_unique<Push>(std::move(operand));
}

using Register = RegisterEntry<UpdateOperator>;

const Register kPush{{
    .name = "$push",
    .summary = "Adds a value to the array, or with $each several: at a $position, then in order ($sort), then cut ($slice).",
    .parse = parse,
    .examples = {{"{$push: {a: 2}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1, 2]}"},
                 {"{$push: {a: [2]}}", "{_id: 1}", "{_id: 1, a: [[2]]}"},
                 {"{$push: {a: {$each: [8, 9], $position: 1}}}", "{_id: 1, a: [1, 2]}", "{_id: 1, a: [1, 8, 9, 2]}"},
                 {"{$push: {a: {$each: [8], $position: -1}}}", "{_id: 1, a: [1, 2]}", "{_id: 1, a: [1, 8, 2]}"},
                 {"{$push: {a: {$each: [4, 3], $slice: -3}}}", "{_id: 1, a: [1, 2]}", "{_id: 1, a: [2, 4, 3]}"},
                 {"{$push: {a: {$each: [4, 3], $sort: -1, $slice: 3}}}", "{_id: 1, a: [1, 5]}", "{_id: 1, a: [5, 4, 3]}"},
                 {"{$push: {a: {$each: [{s: 2}], $sort: {s: 1}}}}", "{_id: 1, a: [{s: 3}, {s: 1}]}",
                  "{_id: 1, a: [{s: 1}, {s: 2}, {s: 3}]}"},
                 {"{$push: {a: 1}}", "{_id: 1, a: 5}", "error 2"},
                 {"{$push: {a: {$each: 1}}}", "{_id: 1, a: []}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
