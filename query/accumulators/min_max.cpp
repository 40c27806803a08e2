// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/accumulator.h"
#include "query/accumulators/kept_value.h"
#include "query/collation/collator.h"

namespace partita::query {
namespace {

using bson::Value;

/// `direction` is -1 for the least, 1 for the greatest. Null and missing values do not take part.
template <int direction>
class Extreme {
 public:
  explicit Extreme(const Collator* collation) : collation_(collation) {}
  void add(Value value, Arena& arena) {
    if (value.is_nullish()) return;
    if (best_.get().missing() || beats(bson::compare(value, best_.get(), collation_))) best_.set(value, arena);
  }
  Value partial(Arena& arena) const { return result(arena); }
  void merge(Value partial, Arena& arena) { add(partial, arena); }
  Value result(Arena&) const { return best_.get().missing() ? Value::null() : best_.get(); }

 private:
  static bool beats(std::weak_ordering order) { return direction < 0 ? order < 0 : order > 0; }
  const Collator* collation_;
  KeptValue best_;
};

using Register = RegisterEntry<Accumulator>;

const Register kMin{{
    .name = "$min",
    .summary = "The least value, in the order of all types; null if there is none.",
    .methods = methods_of<Extreme<-1>>(),
    .examples = {{"{$min: '$a'}", "[{a: 3}, {a: 'x'}, {a: null}, {a: 2.5}]", "2.5"}, {"{$min: '$a'}", "[{}]", "null"}},
}};
const Register kMax{{
    .name = "$max",
    .summary = "The greatest value, in the order of all types; null if there is none.",
    .methods = methods_of<Extreme<1>>(),
    .examples = {{"{$max: '$a'}", "[{a: 3}, {a: 'x'}, {a: null}]", "'x'"}},
}};

}  // namespace
}  // namespace partita::query
