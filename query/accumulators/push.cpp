// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/accumulator.h"
#include "query/accumulators/value_list.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class Push {
 public:
  void add(Value value, Arena& arena) {
    if (!value.missing()) list_.push(value, arena);
  }
  Value partial(Arena& arena) const { return list_.as_array(arena); }
  void merge(Value partial, Arena& arena) {
    const View values = partial.as_document();
    for (auto at = values.begin(); at != values.end(); ++at) list_.push(at->value, arena);
  }
  Value result(Arena& arena) const { return list_.as_array(arena); }

 private:
  ValueList list_;
};

const RegisterEntry<Accumulator> kPush{{
    .name = "$push",
    .summary = "An array of all values, in the order in which they come; missing ones are left out.",
    .methods = methods_of<Push>(),
    .examples = {{"{$push: '$a'}", "[{a: 1}, {}, {a: null}, {a: 'x'}]", "[1, null, 'x']"}},
}};

}  // namespace
}  // namespace partita::query
