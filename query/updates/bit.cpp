// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/field_update.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

using Combine = std::int64_t (*)(std::int64_t, std::int64_t);

struct Step {
  Combine combine;
  Value operand;
};

bool is_integer(Value value) { return value.is(Type::kInt32) || value.is(Type::kInt64); }
std::int64_t whole(Value value) { return value.is(Type::kInt32) ? value.as_int32() : value.as_int64(); }

/// A long if one of the two is; the sign of an int goes along.
Value combine(Value a, const Step& step) {
  const std::int64_t bits = step.combine(whole(a), whole(step.operand));
  const bool is_long = a.is(Type::kInt64) || step.operand.is(Type::kInt64);
  return is_long ? Value::of(bits) : Value::of(static_cast<std::int32_t>(bits));
}

class Bit : public FieldUpdate {
 public:
  explicit Bit(std::vector<Step> steps) : steps_(std::move(steps)) {}

  Result<Effect> apply(UpdateTarget& target) const override {
    Value value = target.before().missing() ? Value::of(std::int32_t{0}) : target.before();
    if (!is_integer(value))
      return error(Code::BadValue, "Cannot apply $bit to a value of non-integral type.", id_text(target.document()),
                   " has the field ", target.name(), " of non-integer type ", value.type_name());
    for (const Step& step : steps_) value = combine(value, step);
    return target.set(value);
  }

 private:
  std::vector<Step> steps_;
};

Combine find_operation(std::string_view name) {
  if (name == "and") return [](std::int64_t a, std::int64_t b) { return a & b; };
  if (name == "or") return [](std::int64_t a, std::int64_t b) { return a | b; };
  if (name == "xor") return [](std::int64_t a, std::int64_t b) { return a ^ b; };
  return nullptr;
}

Result<Step> parse_step(const bson::Field& field) {
  const auto written = [&] { return "{" + bson::to_shell(field) + "}"; };
  const Combine operation = find_operation(field.name);
  if (operation == nullptr)
    return error(Code::BadValue, "The $bit modifier only supports 'and', 'or', and 'xor', not '", field.name,
                 "' which is an unknown operator: ", written());
  if (!is_integer(field.value))
    return error(Code::BadValue, "The $bit modifier field must be an Integer(32/64 bit); a '", field.value.type_name(),
                 "' is not supported here: ", written());
  return Step{operation, field.value};
}

Result<std::unique_ptr<const FieldUpdate>> parse(const FieldPath&, Value operand, const Collation&) {
  if (!operand.is_document())
    return error(Code::BadValue, "The $bit modifier is not compatible with a ", operand.type_name(),
                 ". You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}");
  std::vector<Step> steps;
  for (const bson::Field& field : operand.as_document()) {
    TRY(const Step step, parse_step(field));
    steps.push_back(step);
  }
  if (steps.empty())
    return error(Code::BadValue,
                 "You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}");
  return std::make_unique<Bit>(std::move(steps));
}

using Register = RegisterEntry<UpdateOperator>;

const Register kBit{{
    .name = "$bit",
    .summary = "Combines the bits of an int or a long with others, by and, or and xor, in the order written.",
    .parse = parse,
    .examples = {{"{$bit: {a: {and: 12}}}", "{_id: 1, a: 10}", "{_id: 1, a: 8}"},
                 {"{$bit: {a: {xor: 1, or: {$numberLong: '2'}}}}", "{_id: 1, a: 5}", "{_id: 1, a: {$numberLong: '6'}}"},
                 {"{$bit: {a: {or: 3}}}", "{_id: 1}", "{_id: 1, a: 3}"},
                 {"{$bit: {a: {or: 1}}}", "{_id: 1, a: 3}", "{_id: 1, a: 3}"},
                 {"{$bit: {a: {or: 1}}}", "{_id: 1, a: 1.0}", "error 2"},
                 {"{$bit: {a: {or: 1.0}}}", "{_id: 1, a: 1}", "error 2"},
                 {"{$bit: {a: {}}}", "{_id: 1, a: 1}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
