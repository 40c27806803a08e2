// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "query/expressions/numeric.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Decimal128;
using bson::Type;
using bson::Value;

/// Where a function is defined, as error messages print it. NaN is anywhere.
struct Domain {
  double least;
  double greatest;
  bool with_ends;
  std::string_view text;

  bool holds(Value value) const {
    const double x = *value.to_double();  // The ends are whole numbers, and a decimal next to one may round to it.
    if (std::isnan(x)) return true;
    if (!with_ends) return x > least && x < greatest;
    if (!value.is(Type::kDecimal128)) return x >= least && x <= greatest;
    const auto beyond = [&](double end) { return bson::decimal_compare(value.as_decimal(), end); };
    return beyond(least) >= 0 && beyond(greatest) <= 0;
  }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Domain kFinite{-kInfinity, kInfinity, false, "(-inf,inf)"};
constexpr Domain kUnit{-1, 1, true, "[-1,1]"};
constexpr Domain kFromOne{1, kInfinity, true, "[1,inf]"};

/// A function of angles: of doubles, and of decimals.
struct Angle {
  std::string_view name;
  double (*real)(double);
  Decimal128 (*decimal)(Decimal128);
  const Domain* domain = nullptr;

  Result<Value> operator()(Args args, Arena& arena) const {
    const Value value = args[0];
    if (domain != nullptr && value.is_number() && !domain->holds(value))
      return error(Code{50989}, "cannot apply ", name, " to ", bson::to_shell(value), ", value must be in ", domain->text);
    return real_function(name, value, arena, real, decimal);
  }
};

constexpr Angle kSin{"$sin", std::sin, bson::decimal_sin, &kFinite};
constexpr Angle kCos{"$cos", std::cos, bson::decimal_cos, &kFinite};
constexpr Angle kTan{"$tan", std::tan, bson::decimal_tan, &kFinite};
constexpr Angle kAsin{"$asin", std::asin, bson::decimal_asin, &kUnit};
constexpr Angle kAcos{"$acos", std::acos, bson::decimal_acos, &kUnit};
constexpr Angle kAtan{"$atan", std::atan, bson::decimal_atan};
constexpr Angle kSinh{"$sinh", std::sinh, bson::decimal_sinh};
constexpr Angle kCosh{"$cosh", std::cosh, bson::decimal_cosh};
constexpr Angle kTanh{"$tanh", std::tanh, bson::decimal_tanh};
constexpr Angle kAsinh{"$asinh", std::asinh, bson::decimal_asinh};
constexpr Angle kAcosh{"$acosh", std::acosh, bson::decimal_acosh, &kFromOne};
constexpr Angle kAtanh{"$atanh", std::atanh, bson::decimal_atanh, &kUnit};

template <const Angle& angle>
Result<Value> evaluate(Args args, Arena& arena) {
  return angle(args, arena);
}

Result<Value> atan2(Args args, Arena& arena) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (args[i].is_nullish()) return Value::null();
    if (!args[i].is_number())
      return error(Code{i == 0 ? 51044 : 51045}, "$atan2 only supports numeric types, not ", args[i].type_name());
  }
  const Number y = Number::of(args[0]);
  const Number x = Number::of(args[1]);
  if (any_decimal(args)) return arena.decimal(bson::decimal_atan2(y.to_decimal(), x.to_decimal()));
  return Value::of(std::atan2(y.to_double(), x.to_double()));
}

Decimal128 times(Decimal128 value, std::string_view factor) {
  return bson::decimal_multiply(value, *bson::decimal_from_string(factor));
}

Result<Value> to_radians(Args args, Arena& arena) {
  return real_function("$degreesToRadians", args[0], arena, [](double x) { return x * (M_PI / 180.0); },
                       [](Decimal128 x) { return times(x, "0.01745329251994329576923690768488613"); });
}

Result<Value> to_degrees(Args args, Arena& arena) {
  return real_function("$radiansToDegrees", args[0], arena, [](double x) { return x * (180.0 / M_PI); },
                       [](Decimal128 x) { return times(x, "57.29577951308232087679815481410517"); });
}

using Register = RegisterEntry<Expression>;

const Register kEntries[] = {
    {{.name = "$sin", .summary = "The sine of an angle in radians.", .evaluate = evaluate<kSin>,
      .examples = {{"{$sin: '$a'}", "{a: 0}", "0.0"}, {"{$sin: '$a'}", "{a: {$numberDouble: 'Infinity'}}", "error 50989"},
                   {"{$sin: 'x'}", "{}", "error 28765"}}}},
    {{.name = "$cos", .summary = "The cosine of an angle in radians.", .evaluate = evaluate<kCos>,
      .examples = {{"{$cos: '$a'}", "{a: 0}", "1.0"}}}},
    {{.name = "$tan", .summary = "The tangent of an angle in radians.", .evaluate = evaluate<kTan>,
      .examples = {{"{$tan: '$a'}", "{a: 0}", "0.0"}}}},
    {{.name = "$asin", .summary = "The angle in radians of a sine.", .evaluate = evaluate<kAsin>,
      .examples = {{"{$asin: '$a'}", "{a: 0}", "0.0"}, {"{$asin: '$a'}", "{a: 2}", "error 50989"}}}},
    {{.name = "$acos", .summary = "The angle in radians of a cosine.", .evaluate = evaluate<kAcos>,
      .examples = {{"{$acos: '$a'}", "{a: 1}", "0.0"}, {"{$acos: '$a'}", "{a: -1.5}", "error 50989"}}}},
    {{.name = "$atan", .summary = "The angle in radians of a tangent.", .evaluate = evaluate<kAtan>,
      .examples = {{"{$atan: '$a'}", "{a: 0}", "0.0"}}}},
    {{.name = "$atan2", .min_args = 2, .max_args = 2, .summary = "The angle in radians of the point (x, y), given as y and x.",
      .evaluate = atan2, .null_stops = 1, .examples = {{"{$atan2: [0, 1]}", "{}", "0.0"}, {"{$atan2: ['x', 1]}", "{}", "error 51044"}}}},
    {{.name = "$sinh", .summary = "The hyperbolic sine.", .evaluate = evaluate<kSinh>,
      .examples = {{"{$sinh: '$a'}", "{a: 0}", "0.0"}}}},
    {{.name = "$cosh", .summary = "The hyperbolic cosine.", .evaluate = evaluate<kCosh>,
      .examples = {{"{$cosh: '$a'}", "{a: 0}", "1.0"}}}},
    {{.name = "$tanh", .summary = "The hyperbolic tangent.", .evaluate = evaluate<kTanh>,
      .examples = {{"{$tanh: '$a'}", "{a: 0}", "0.0"}}}},
    {{.name = "$asinh", .summary = "What has this hyperbolic sine.", .evaluate = evaluate<kAsinh>,
      .examples = {{"{$asinh: '$a'}", "{a: 0}", "0.0"}}}},
    {{.name = "$acosh", .summary = "What has this hyperbolic cosine.", .evaluate = evaluate<kAcosh>,
      .examples = {{"{$acosh: '$a'}", "{a: 1}", "0.0"}, {"{$acosh: '$a'}", "{a: 0}", "error 50989"}}}},
    {{.name = "$atanh", .summary = "What has this hyperbolic tangent.", .evaluate = evaluate<kAtanh>,
      .examples = {{"{$atanh: '$a'}", "{a: 0}", "0.0"}, {"{$atanh: '$a'}", "{a: 2}", "error 50989"}}}},
    {{.name = "$degreesToRadians", .summary = "An angle in radians.", .evaluate = to_radians,
      .examples = {{"{$degreesToRadians: '$a'}", "{a: 0}", "0.0"}, {"{$degreesToRadians: 'x'}", "{}", "error 28765"}}}},
    {{.name = "$radiansToDegrees", .summary = "An angle in degrees.", .evaluate = to_degrees,
      .examples = {{"{$radiansToDegrees: '$a'}", "{a: 0}", "0.0"}}}},
};

}  // namespace
}  // namespace partita::query
