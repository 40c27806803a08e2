// SPDX-License-Identifier: GPL-3.0-or-later
// $sum, $avg, $min, $max and the standard deviations, of the elements of one array or of several arguments.
#include <cmath>

#include "query/collation/collator.h"
#include "query/expressions/expression.h"
#include "query/number_sum.h"

namespace partita::query {
namespace {

using bson::Value;

/// One argument that is an array stands for its elements.
template <class Each>
void for_each(Args args, Each each) {
  if (args.size() == 1 && args[0].is_array()) {
    for (const bson::Field& element : args[0].as_document()) each(element.value);
  } else {
    for (const Value& value : args) each(value);
  }
}

Result<Value> sum(Args args, Arena& arena) {
  NumberSum total;
  for_each(args, [&](const Value& value) {
    if (value.is_number()) total.add(value);
  });
  return arena.copy(total.total().value());
}

/// Longs take part as doubles, unlike in $sum, unless there is a decimal among the numbers.
Result<Value> average(Args args, Arena& arena) {
  NumberSum exact;
  NumberSum rounded;
  std::int64_t count = 0;
  bool has_decimal = false;
  for_each(args, [&](const Value& value) {
    if (!value.is_number()) return;
    exact.add(value);
    rounded.add(Value::of(*value.to_double()));
    has_decimal = has_decimal || value.is(bson::Type::kDecimal128);
    ++count;
  });
  return count == 0 ? Value::null() : arena.copy((has_decimal ? exact : rounded).divided_by(count).value());
}

template <bool greatest>
Result<Value> extreme(Args args, Arena&, const Collator* collation) {
  Value best;
  for_each(args, [&](const Value& value) {
    if (value.is_nullish()) return;
    const bool first = best.missing();
    const auto order = first ? std::weak_ordering::equivalent : bson::compare(value, best, collation);
    if (first || (greatest ? order > 0 : order < 0)) best = value;
  });
  return best.missing() ? Value::null() : best;
}

/// `missing_degrees` is 1 for a sample, which says less of its mean than the whole population.
template <int missing_degrees>
Result<Value> deviation(Args args, Arena&) {
  double mean = 0;
  double squares = 0;
  std::int64_t count = 0;
  for_each(args, [&](const Value& value) {
    if (!value.is_number()) return;
    const double real = *value.to_double();
    const double delta = real - mean;
    ++count;
    if (delta == 0) return;
    mean += delta / static_cast<double>(count);
    squares += delta * (real - mean);
  });
  const std::int64_t degrees = count - missing_degrees;
  return degrees <= 0 ? Value::null() : Value::of(std::sqrt(squares / static_cast<double>(degrees)));
}

using Register = RegisterEntry<Expression>;
constexpr std::size_t kAnyNumber = Expression::kAnyNumber;

const Register kSum{{
    .name = "$sum",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The sum of the numbers among the arguments, or in the one array.",
    .evaluate = sum,
    .examples = {{"{$sum: '$a'}", "{a: [1, 2, 'x']}", "3"}, {"{$sum: ['$a', 5]}", "{a: [1, 2]}", "5"}, {"{$sum: '$a'}", "{}", "0"}},
}};
const Register kAvg{{
    .name = "$avg",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The mean of the numbers; null if there is none.",
    .evaluate = average,
    .examples = {{"{$avg: '$a'}", "{a: [1, 2, 'x']}", "1.5"}, {"{$avg: '$a'}", "{}", "null"}},
}};
const Register kMin{{
    .name = "$min",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The least value, null and missing ones apart.",
    .compares = extreme<false>,
    .examples = {{"{$min: '$a'}", "{a: [3, 1, null]}", "1"}, {"{$min: [2, '$a']}", "{a: [1]}", "2"}, {"{$min: '$a'}", "{}", "null"}},
}};
const Register kMax{{
    .name = "$max",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The greatest value, null and missing ones apart.",
    .compares = extreme<true>,
    .examples = {{"{$max: '$a'}", "{a: [3, 1, null]}", "3"}, {"{$max: ['$a', 2]}", "{a: 'x'}", "'x'"}},
}};
const Register kStdDevPop{{
    .name = "$stdDevPop",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The standard deviation of the numbers as a whole population.",
    .evaluate = deviation<0>,
    .examples = {{"{$stdDevPop: '$a'}", "{a: [1, 3]}", "1.0"}, {"{$stdDevPop: '$a'}", "{}", "null"}},
}};
const Register kStdDevSamp{{
    .name = "$stdDevSamp",
    .min_args = 0,
    .max_args = kAnyNumber,
    .summary = "The standard deviation of the numbers as a sample.",
    .evaluate = deviation<1>,
    .examples = {{"{$stdDevSamp: '$a'}", "{a: [1, 3, 5]}", "2.0"}, {"{$stdDevSamp: '$a'}", "{a: [1]}", "null"}},
}};

}  // namespace
}  // namespace partita::query
