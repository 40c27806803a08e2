// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/accumulator.h"
#include "query/accumulators/kept_value.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// A missing value is null, and counts as one.
template <bool first>
class End {
 public:
  void add(Value value, Arena& arena) {
    if (first && seen_) return;
    seen_ = true;
    kept_.set(value.missing() ? Value::null() : value, arena);
  }
  Value partial(Arena& arena) const { return result(arena); }
  /// Partial states come in the order of the documents they stand for.
  void merge(Value partial, Arena& arena) { add(partial, arena); }
  Value result(Arena&) const { return seen_ ? kept_.get() : Value::null(); }

 private:
  KeptValue kept_;
  bool seen_ = false;
};

using Register = RegisterEntry<Accumulator>;

const Register kFirst{{
    .name = "$first",
    .summary = "The value of the first document, in the order in which they come.",
    .methods = methods_of<End<true>>(),
    .examples = {{"{$first: '$a'}", "[{a: 3}, {a: 1}]", "3"}, {"{$first: '$a'}", "[{}, {a: 1}]", "null"}},
}};
const Register kLast{{
    .name = "$last",
    .summary = "The value of the last document, in the order in which they come.",
    .methods = methods_of<End<false>>(),
    .examples = {{"{$last: '$a'}", "[{a: 3}, {a: 1}]", "1"}},
}};

}  // namespace
}  // namespace partita::query
