// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"
#include "query/updates/storage_rules.h"

namespace partita::query {
namespace {

using bson::Value;

class Set : public FieldUpdate {
 public:
  explicit Set(Value value) : value_(value), depth_(levels_of(value)) {}
  Result<Effect> apply(UpdateTarget& target) const override { return target.set(value_); }
  int depth() const override { return depth_; }

 protected:
  Value value_;
  int depth_;
};

class SetOnInsert : public Set {
 public:
  using Set::Set;
  Result<Effect> apply(UpdateTarget& target) const override {
    if (!target.inserting()) return target.keep();
    if (static_cast<int>(target.path().size()) + depth_ > kMostLevels)  // Of other operators the parser asks it.
      return error(Code::Overflow, "Document exceeds maximum nesting depth of ", kMostLevels);
    return target.set(value_);
  }
  Demand demand(bool inserting) const override { return inserting ? Demand::kCreation : Demand::kNothing; }
};

template <class T>
Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value operand, const Collation&) {
  return std::make_unique<T>(operand);
}

using Register = RegisterEntry<UpdateOperator>;

const Register kSet{{
    .name = "$set",
    .summary = "Gives the field this value; makes it, and the documents on the way to it, where they are missing.",
    .parse = parse<Set>,
    .examples = {{"{$set: {a: 2}}", "{_id: 1, a: 1, b: 1}", "{_id: 1, a: 2, b: 1}"},
                 {"{$set: {'a.b.c': 1}}", "{_id: 1}", "{_id: 1, a: {b: {c: 1}}}"},
                 {"{$set: {'a.3': 'x'}}", "{_id: 1, a: [1]}", "{_id: 1, a: [1, null, null, 'x']}"},
                 {"{$set: {b: 1, a: 2}}", "{_id: 1}", "{_id: 1, a: 2, b: 1}"},
                 {"{$set: {'a.b': 1}}", "{_id: 1, a: 'x'}", "error 28"},
                 {"{$set: {_id: 2}}", "{_id: 1}", "error 66"}},
}};
const Register kSetOnInsert{{
    .name = "$setOnInsert",
    .summary = "Gives the field this value when the update inserts the document.",
    .parse = parse<SetOnInsert>,
    .examples = {{"{$setOnInsert: {a: 2}}", "{_id: 1}", "{_id: 1}"}},
}};

}  // namespace
}  // namespace partita::query
