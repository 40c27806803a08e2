// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

struct Bound {
  Code not_number;
  Code not_int;
  std::string_view article;
  std::string_view name;
};
constexpr Bound kBounds[] = {{Code{34443}, Code{34444}, "a ", "starting"},
                             {Code{34445}, Code{34446}, "an ", "ending"},
                             {Code{34447}, Code{34448}, "a ", "step"}};

Result<std::int64_t> read(const Bound& bound, Value value) {
  if (!value.is_number())
    return error(bound.not_number, "$range requires a numeric ", bound.name, " value, found value of type: ", value.type_name());
  const auto whole = exact_int32(value);
  if (whole) return *whole;
  return error(bound.not_int, "$range requires ", bound.article, bound.name,
               " value that can be represented as a 32-bit integer, found value: ", bson::to_shell(value));
}

Result<Value> range(Args args, Arena& arena) {
  constexpr std::size_t kMost = 100 * 1024 * 1024;
  constexpr std::size_t kBytesOfOne = 16;  // As mongod counts them.
  TRY(const std::int64_t begin, read(kBounds[0], args[0]));
  TRY(const std::int64_t end, read(kBounds[1], args[1]));
  std::int64_t step = 1;
  if (args.size() > 2) {
    TRY(step, read(kBounds[2], args[2]));
  }
  if (step == 0) return error(Code{34449}, "$range requires a non-zero step value");
  const std::int64_t distance = step > 0 ? end - begin : begin - end;
  const std::int64_t stride = step > 0 ? step : -step;
  const auto count = distance <= 0 ? 0 : static_cast<std::size_t>((distance + stride - 1) / stride);
  if (count * kBytesOfOne > kMost) return too_much_memory("$range", count * kBytesOfOne, kMost);
  auto* const numbers = reinterpret_cast<Value*>(arena.allocate(count * sizeof(Value), alignof(Value)));
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = Value::of(static_cast<std::int32_t>(begin + static_cast<std::int64_t>(i) * step));
  return make_array({numbers, count}, arena);
}

const RegisterEntry<Expression> kRange{{
    .name = "$range",
    .min_args = 2,
    .max_args = 3,
    .summary = "Whole numbers from one on, to before another, in steps.",
    .evaluate = range,
    .examples = {{"{$range: [0, '$a']}", "{a: 3}", "[0, 1, 2]"},
                 {"{$range: [5, 0, -2]}", "{}", "[5, 3, 1]"},
                 {"{$range: [0, 5, 0]}", "{}", "error 34449"},
                 {"{$range: [0, 100000000]}", "{}", "error 146"},
                 {"{$range: [0.5, 1]}", "{}", "error 34444"}},
}};

}  // namespace
}  // namespace partita::query
