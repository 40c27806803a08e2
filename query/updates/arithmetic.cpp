// SPDX-License-Identifier: GPL-3.0-or-later
// $inc and $mul: the same rules with another calculation.
#include <cmath>

#include "query/numbers.h"
#include "query/updates/field_update.h"
#include "wire/bson/decimal.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

struct Operation {
  std::string_view name;
  std::string_view verb;
  std::optional<Number> (*calculate)(const Number&, const Number&);
  Number (*of_missing)(const Number& operand);
};

Number itself(const Number& operand) { return operand; }

/// Zero, in the operand's type.
Number zero_like(const Number& operand) { return *multiply(operand, Number(std::int32_t{0})); }

constexpr Operation kIncrement{"$inc", "increment", add, itself};
constexpr Operation kMultiply{"$mul", "multiply", multiply, zero_like};

/// "(NumberLong)5": MongoDB's texts name the type too.
std::string typed_text(Value value) {
  switch (value.type()) {
    case Type::kInt32:
      return "(NumberInt)" + bson::to_shell(value);
    case Type::kInt64:
      return "(NumberLong)" + std::to_string(value.as_int64());
    case Type::kDouble:
      return "(NumberDouble)" + bson::to_shell(value);
    default:
      return "(NumberDecimal)" + bson::to_shell(value);
  }
}

bool is_nan(Value number) {
  return number.is(Type::kDouble) ? std::isnan(number.as_double()) : number.is(Type::kDecimal128) && bson::decimal_is_nan(number.as_decimal());
}

/// A decimal that comes out with other trailing zeros only has not changed, nor has a zero with another sign.
bool changes_nothing(Value before, Value after) {
  if (before.is(Type::kDouble) && after.is(Type::kDouble)) return before.as_double() == after.as_double();
  return before.is(Type::kDecimal128) && after.is(Type::kDecimal128) &&
         bson::decimal_equal(before.as_decimal(), after.as_decimal());
}

template <const Operation& operation>
class Arithmetic : public FieldUpdate {
 public:
  explicit Arithmetic(Value operand) : operand_(Number::of(operand)) {}

  Result<Effect> apply(UpdateTarget& target) const override {
    const Value before = target.before();
    if (before.missing()) return target.set(operation.of_missing(operand_).value());
    if (!before.is_number())
      return error(Code::TypeMismatch, "Cannot apply ", operation.name, " to a value of non-numeric type. ",
                   id_text(target.document()), " has the field '", target.name(), "' of non-numeric type ",
                   before.type_name());
    const auto after = operation.calculate(Number::of(before), operand_);
    if (!after)
      return error(Code::BadValue, "Failed to apply ", operation.name, " operations to current value (",
                   typed_text(before), ") for document ", id_text(target.document()));
    if (is_nan(after->value())) return target.write(after->value());  // Which is nothing that it was before.
    return changes_nothing(before, after->value()) ? target.keep() : target.set(after->value());
  }

 private:
  Number operand_;
};

template <const Operation& operation>
Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath& path, Value operand, const Collation&) {
  if (!operand.is_number())
    return error(Code::TypeMismatch, "Cannot ", operation.verb, " with non-numeric argument: {", path.text(), ": ",
                 bson::to_shell(operand), "}");
  return std::make_unique<Arithmetic<operation>>(operand);
}

using Register = RegisterEntry<UpdateOperator>;

const Register kInc{{
    .name = "$inc",
    .summary = "Adds to a number; a missing field becomes the operand.",
    .parse = parse<kIncrement>,
    .examples = {{"{$inc: {n: 2, m: 1}}", "{_id: 1, n: 40}", "{_id: 1, n: 42, m: 1}"},
                 {"{$inc: {n: 1}}", "{_id: 1, n: 2147483647}", "{_id: 1, n: {$numberLong: '2147483648'}}"},
                 {"{$inc: {n: 0.5}}", "{_id: 1, n: 1}", "{_id: 1, n: 1.5}"},
                 {"{$inc: {n: 1}}", "{_id: 1, n: {$numberLong: '9223372036854775807'}}", "error 2"},
                 {"{$inc: {n: 1}}", "{_id: 1, n: 'x'}", "error 14"},
                 {"{$inc: {n: 'x'}}", "{_id: 1, n: 1}", "error 14"}},
}};
const Register kMul{{
    .name = "$mul",
    .summary = "Multiplies a number; a missing field becomes zero.",
    .parse = parse<kMultiply>,
    .examples = {{"{$mul: {n: 3}}", "{_id: 1, n: 2}", "{_id: 1, n: 6}"},
                 {"{$mul: {n: 2.5}}", "{_id: 1}", "{_id: 1, n: 0.0}"},
                 {"{$mul: {n: 2}}", "{_id: 1, n: null}", "error 14"}},
}};

}  // namespace
}  // namespace partita::query
