// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/interrupt.h"
#include "query/updates/array_build.h"
#include "query/updates/value_set.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class AddToSet : public FieldUpdate {
 public:
  AddToSet(ValueSet values, int depth) : values_(std::move(values)), depth_(depth) {}

  static constexpr std::int64_t kSearch = 16 * Interrupt::kCompare;

  Result<Effect> apply(UpdateTarget& target) const override {
    const Value before = target.before();
    if (!before.missing() && !before.is_array())
      return error(Code::BadValue, "Cannot apply $addToSet to non-array field. Field named '", target.name(),
                   "' has non-array type ", before.type_name());
    const View array = before.missing() ? View() : before.as_document();
    std::vector<bool> there(values_.size());
    std::size_t new_ones = values_.size();
    std::uint32_t count = 0;
    for (auto at = array.begin(); at != array.end(); ++at, ++count) {
      CHECK_OK(Interrupt::pass(kSearch));
      const auto found = values_.find(at->value);
      if (!found || there[*found]) continue;
      there[*found] = true;
      --new_ones;
    }
    if (new_ones == 0 && !before.missing()) return target.keep();
    ArrayBuild after(target);
    after.keep_front(array, array.data() + array.size() - 1, count);
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!there[i]) after.push(values_[i]);
    return after.finish();
  }
  int depth() const override { return depth_; }

 private:
  ValueSet values_;
  int depth_;
};

/// Only where $each stands first does it mean several values.
Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value operand, const Collation& collation) {
  ValueSet values(collation.get());
  const bool several = operand.is_document() && operand.as_document().begin()->name == "$each" && !operand.as_document().empty();
  if (!several) {
    values.add(operand);
    return std::make_unique<AddToSet>(std::move(values), 1 + levels_of(operand));
  }
  const Value each = operand.as_document().begin()->value;
  if (!each.is_array())
    return error(Code::TypeMismatch, "The argument to $each in $addToSet must be an array but it was of type ", each.type_name());
  if (operand.as_document().count() > 1)
    return error(Code::BadValue, "Found unexpected fields after $each in $addToSet: ", bson::to_shell(operand));
  CHECK_OK(values.add_all(each.as_document()));
  return std::make_unique<AddToSet>(std::move(values), levels_of(each));
}

using Register = RegisterEntry<UpdateOperator>;

const Register kAddToSet{{
    .name = "$addToSet",
    .summary = "Adds values to the array that it does not hold yet: one, or with $each several.",
    .parse = parse,
    .examples = {{"{$addToSet: {a: 2}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1, 2]}"},
                 {"{$addToSet: {a: 1.0}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1]}"},
                 {"{$addToSet: {a: {$each: [3, 1, 3]}}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1, 3]}"},
                 {"{$addToSet: {a: [1]}}", "{_id: 1}", "{_id: 1, a: [[1]]}"},
                 {"{$addToSet: {a: 1}}", "{_id: 1, a: 1}", "error 2"},
                 {"{$addToSet: {a: {$each: 1}}}", "{_id: 1, a: [1]}", "error 14"}},
}};

}  // namespace
}  // namespace partita::query
