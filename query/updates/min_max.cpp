// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"

namespace partita::query {
namespace {

using bson::Value;

/// `direction` is -1 for $min and 1 for $max.
template <int direction>
class Extreme : public FieldUpdate {
 public:
  Extreme(Value value, const Collator* collation) : value_(value), collation_(collation) {}
  Result<Effect> apply(UpdateTarget& target) const override {
    if (target.before().missing()) return target.set(value_);
    const std::weak_ordering order = bson::compare(value_, target.before(), collation_);
    const bool beats = direction < 0 ? order < 0 : order > 0;
    return beats ? target.set(value_) : target.keep();
  }
  int depth() const override { return levels_of(value_); }

 private:
  Value value_;
  const Collator* collation_;
};

template <int direction>
Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value operand, const Collation& collation) {
  return std::make_unique<Extreme<direction>>(operand, collation.get());
}

using Register = RegisterEntry<UpdateOperator>;

const Register kMin{{
    .name = "$min",
    .summary = "Gives the field this value if that is less, in the order of all types.",
    .parse = parse<-1>,
    .examples = {{"{$min: {a: 1}}", "{_id: 1, a: 5}", "{_id: 1, a: 1}"},
                 {"{$min: {a: 9}}", "{_id: 1, a: 5}", "{_id: 1, a: 5}"},
                 {"{$min: {a: 9}}", "{_id: 1, a: 'x'}", "{_id: 1, a: 9}"}},
}};
const Register kMax{{
    .name = "$max",
    .summary = "Gives the field this value if that is greater, in the order of all types.",
    .parse = parse<1>,
    .examples = {{"{$max: {a: 9}}", "{_id: 1, a: 5}", "{_id: 1, a: 9}"},
                 {"{$max: {a: 3}}", "{_id: 1}", "{_id: 1, a: 3}"}},
}};

}  // namespace
}  // namespace partita::query
