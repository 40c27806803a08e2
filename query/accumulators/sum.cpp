// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/accumulator.h"
#include "query/number_sum.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

Value saved(const NumberSum& sum, Arena& arena) {
  bson::Buffer& bytes = arena.scratch();
  bson::Writer out(bytes);
  sum.save(out);
  out.close();
  return Value::of(View::trusted(arena.copy(bytes.bytes()).data()));
}

/// What is no number counts for nothing.
class Sum {
 public:
  void add(Value value, Arena&) {
    if (value.is_number()) sum_.add(value);
  }
  Value partial(Arena& arena) const { return saved(sum_, arena); }
  void merge(Value partial, Arena&) { sum_.add(NumberSum::load(partial.as_document())); }
  Value result(Arena& arena) const { return arena.copy(sum_.total().value()); }

 protected:
  NumberSum sum_;
};

class Avg {
 public:
  void add(Value value, Arena&) {
    if (!value.is_number()) return;
    sum_.add(value);
    ++count_;
  }
  Value partial(Arena& arena) const {
    bson::Buffer& bytes = arena.scratch();
    bson::Writer out(bytes);
    out.add("count", count_);
    sum_.save(out);
    out.close();
    return Value::of(View::trusted(arena.copy(bytes.bytes()).data()));
  }
  void merge(Value partial, Arena&) {
    count_ += partial.as_document()["count"].as_int64();
    sum_.add(NumberSum::load(partial.as_document()));
  }
  Value result(Arena& arena) const {
    return count_ == 0 ? Value::null() : arena.copy(sum_.divided_by(count_).value());
  }

 private:
  NumberSum sum_;
  std::int64_t count_ = 0;
};

class Count : public Sum {
 public:
  void add(Value, Arena&) { sum_.add(Value::of(std::int32_t{1})); }
};

using Register = RegisterEntry<Accumulator>;

const Register kSum{{
    .name = "$sum",
    .summary = "The sum of the numbers; what is no number is passed over.",
    .methods = methods_of<Sum>(),
    .examples = {{"{$sum: '$a'}", "[{a: 1}, {a: 2.5}, {a: 'x'}, {}]", "3.5"},
                 {"{$sum: 1}", "[{}, {}]", "2"},
                 {"{$sum: '$a'}", "[{a: 2147483647}, {a: 1}]", "{$numberLong: '2147483648'}"},
                 {"{$sum: '$a'}", "[{a: 0.1}, {a: {$numberDecimal: '0.2'}}]",
                  "{$numberDecimal: '0.3000000000000000055511151231257827'}"},
                 {"{$sum: '$a'}", "[]", "missing"}},
}};
const Register kAvg{{
    .name = "$avg",
    .summary = "The mean of the numbers; null if there is none.",
    .methods = methods_of<Avg>(),
    .examples = {{"{$avg: '$a'}", "[{a: 1}, {a: 2}, {a: 'x'}]", "1.5"}, {"{$avg: '$a'}", "[{}]", "null"}},
}};
const Register kCount{{
    .name = "$count",
    .summary = "The number of documents.",
    .methods = methods_of<Count>(),
    .takes_argument = false,
    .examples = {{"{$count: {}}", "[{a: 1}, {}]", "2"}},
}};

}  // namespace
}  // namespace partita::query
