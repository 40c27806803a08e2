// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "query/match/operator.h"
#include "query/match/whole_number.h"
#include "wire/bson/decimal.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

class Mod : public QuickPredicate {
 public:
  Mod(std::int64_t divisor, std::int64_t remainder) : divisor_(divisor), remainder_(remainder) {}

  bool matches(Value value, MatchState&) const override {
    const auto number = truncated(value);
    if (!number) return false;
    return (divisor_ == -1 ? 0 : *number % divisor_) == remainder_;  // The least number by -1 would overflow.
  }

 private:
  std::int64_t divisor_;
  std::int64_t remainder_;
};

bool is_finite(Value number) {
  if (number.is(Type::kDouble)) return std::isfinite(number.as_double());
  if (!number.is(Type::kDecimal128)) return true;
  return !bson::decimal_is_nan(number.as_decimal()) && !bson::decimal_is_infinite(number.as_decimal());
}

Result<std::int64_t> part(std::string_view name, Value value) {
  if (!value.is_number()) return error(Code::BadValue, "malformed mod, ", name, " not a number");
  if (const auto whole = truncated(value)) return *whole;
  return error(Code::BadValue, "malformed mod, ", name, " value is invalid :: caused by :: ",
               is_finite(value) ? "Out of bounds coercing to integral value" : "Unable to coerce NaN/Inf to integral type");
}

Result<Clause> parse_mod(const OperatorArgs& args) {
  if (!args.operand.is_array()) return error(Code::BadValue, "malformed mod, needs to be an array");
  std::vector<Value> parts;
  for (const bson::Field& field : args.operand.as_document()) parts.push_back(field.value);
  if (parts.empty()) return error(Code::BadValue, "malformed mod, not enough elements");
  if (!parts[0].is_number()) return error(Code::BadValue, "malformed mod, divisor not a number");
  if (parts.size() < 2) return error(Code::BadValue, "malformed mod, not enough elements");
  if (!parts[1].is_number()) return error(Code::BadValue, "malformed mod, remainder not a number");
  if (parts.size() > 2) return error(Code::BadValue, "malformed mod, too many elements");
  TRY(const std::int64_t divisor, part("divisor", parts[0]));
  TRY(const std::int64_t remainder, part("remainder", parts[1]));
  if (divisor == 0) return error(Code::BadValue, "divisor cannot be 0");
  return Clause{std::make_unique<Mod>(divisor, remainder)};
}

const RegisterEntry<MatchOperator> kMod{{
    .name = "$mod",
    .summary = "The number, cut off at its point and divided by the first operand, leaves the second.",
    .parse = parse_mod,
    .examples = {{"{a: {$mod: [4, 1]}}", "{a: 5}", "true"},
                 {"{a: {$mod: [4, 1]}}", "{a: [2, 5.9]}", "true"},
                 {"{a: {$mod: [4, -1]}}", "{a: -5}", "true"},
                 {"{a: {$mod: [4, 0]}}", "{a: {$numberDouble: 'NaN'}}", "false"},
                 {"{a: {$mod: [0, 1]}}", "{}", "error 2"},
                 {"{a: {$mod: [1]}}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
