// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/comparison.h"

#include <cmath>

#include "query/expressions/compiled_expression.h"
#include "wire/bson/compare.h"
#include "wire/bson/decimal.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::TypeClass;
using bson::Value;

bool is_nan(Value value) {
  if (value.is(Type::kDouble)) return std::isnan(value.as_double());
  return value.is(Type::kDecimal128) && bson::decimal_is_nan(value.as_decimal());
}

bool is_null_class(TypeClass type_class) {
  return type_class == TypeClass::kNull || type_class == TypeClass::kUndefined;
}

bool compares_across(TypeClass value, std::uint8_t relation, TypeClass operand) {
  if (is_null_class(value) && is_null_class(operand)) return (relation & kEqual) != 0;
  if (operand == TypeClass::kMaxKey) return (relation & kLess) != 0;
  if (operand == TypeClass::kMinKey) return (relation & kGreater) != 0;
  return false;
}

class Comparison : public QuickPredicate {
 public:
  Comparison(std::uint8_t relation, Value operand) : relation_(relation), operand_(operand) {}
  bool matches(Value value, MatchState&) const override { return compares(value, relation_, operand_); }

 private:
  std::uint8_t relation_;
  Value operand_;
};

/// Where texts compare by a collation.
class CollatedComparison : public Predicate {
 public:
  CollatedComparison(std::uint8_t relation, Value operand, const Collator& collation)
      : relation_(relation), operand_(operand), collation_(collation) {}
  bool matches(Value value, MatchState&) const override { return compares(value, relation_, operand_, &collation_); }

 private:
  std::uint8_t relation_;
  Value operand_;
  const Collator& collation_;
};

/// A whole number that a double holds exactly, against the three common number types.
class WholeComparison : public QuickPredicate {
 public:
  WholeComparison(std::uint8_t relation, Value operand, std::int64_t whole)
      : relation_(relation), operand_(operand), whole_(whole), real_(static_cast<double>(whole)) {}

  bool matches(Value value, MatchState&) const override {
    switch (value.type()) {
      case Type::kInt32:
      case Type::kInt64:
        return satisfies(value.as_int64() <=> whole_, relation_);
      case Type::kDouble:
        if (std::isnan(value.as_double())) return false;
        return satisfies(std::weak_order(value.as_double(), real_), relation_);
      default:
        return compares(value, relation_, operand_);
    }
  }

 private:
  std::uint8_t relation_;
  Value operand_;
  std::int64_t whole_;
  double real_;
};

class StringComparison : public QuickPredicate {
 public:
  StringComparison(std::uint8_t relation, Value operand)
      : relation_(relation), operand_(operand), text_(operand.as_string()) {}

  bool matches(Value value, MatchState&) const override {
    if (!value.is_string()) return value.is(Type::kSymbol) && compares(value, relation_, operand_);
    const std::string_view text = value.as_string();
    if (relation_ == kEqual) return text == text_;
    return satisfies(text <=> text_, relation_);
  }

 private:
  std::uint8_t relation_;
  Value operand_;
  std::string_view text_;
};

class ObjectIdComparison : public QuickPredicate {
 public:
  ObjectIdComparison(std::uint8_t relation, Value operand) : relation_(relation), id_(operand.as_object_id()) {}
  bool matches(Value value, MatchState&) const override {
    return value.is(Type::kObjectId) && satisfies(value.as_object_id() <=> id_, relation_);
  }

 private:
  std::uint8_t relation_;
  bson::ObjectId id_;
};

template <std::uint8_t relation>
Result<Clause> parse_order(const OperatorArgs& args) {
  if (args.operand.is(Type::kUndefined)) return error(Code::BadValue, "cannot compare to undefined");
  if (args.operand.is(Type::kRegex) && relation != kEqual)
    return error(Code::BadValue, "Can't have RegEx as arg to predicate over field '", args.path, "'.");
  return Clause{make_comparison(relation, args.operand, args.context.collation.get())};
}

Result<Clause> parse_not_equal(const OperatorArgs& args) {
  if (args.operand.is(Type::kRegex)) return error(Code::BadValue, "Can't have regex as arg to $ne.");
  TRY(Clause clause, parse_order<kEqual>(args));
  clause.negated = true;
  return clause;
}

using Register = RegisterEntry<MatchOperator>;

const Register kEq{{
    .name = "$eq",
    .summary = "The value, or an element of it, equals the operand. Null also stands for a missing field.",
    .parse = parse_order<kEqual>,
    .bound = Bound::kEqual,
    .examples = {{"{a: {$eq: 1}}", "{a: 1.0}", "true"},
                 {"{a: 1}", "{a: [3, 1]}", "true"},
                 {"{a: [3, 1]}", "{a: [3, 1]}", "true"},
                 {"{'a.b': null}", "{a: {}}", "true"},
                 {"{a: {b: 1}}", "{a: {b: 1, c: 2}}", "false"},
                 {"{a: {$eq: {$gt: 1}}}", "{a: 2}", "false"}},
}};
const Register kNe{{
    .name = "$ne",
    .summary = "Neither the value nor an element of it equals the operand.",
    .parse = parse_not_equal,
    .bound = Bound::kEqual,
    .examples = {{"{a: {$ne: 1}}", "{a: [3, 1]}", "false"},
                 {"{a: {$ne: 1}}", "{}", "true"},
                 {"{a: {$ne: /x/}}", "{}", "error 2"}},
}};
const Register kGt{{
    .name = "$gt",
    .summary = "The value, or an element of it, is of the operand's type class and greater.",
    .parse = parse_order<kGreater>,
    .bound = Bound::kGreater,
    .examples = {{"{a: {$gt: 1}}", "{a: 1.5}", "true"},
                 {"{a: {$gt: 1}}", "{a: 'x'}", "false"},
                 {"{a: {$gt: 1}}", "{a: [0, 2]}", "true"},
                 {"{a: {$gt: {$minKey: 1}}}", "{}", "true"}},
}};
const Register kGte{{
    .name = "$gte",
    .summary = "The value, or an element of it, is of the operand's type class and not less.",
    .parse = parse_order<kGreater | kEqual>,
    .bound = Bound::kGreaterOrEqual,
    .examples = {{"{a: {$gte: 'b'}}", "{a: 'b'}", "true"},
                 {"{a: {$gte: null}}", "{}", "true"},
                 {"{a: {$gte: {$numberDouble: 'NaN'}}}", "{a: 1}", "false"}},
}};
const Register kLt{{
    .name = "$lt",
    .summary = "The value, or an element of it, is of the operand's type class and less.",
    .parse = parse_order<kLess>,
    .bound = Bound::kLess,
    .examples = {{"{a: {$lt: 5}}", "{a: 4}", "true"}, {"{a: {$lt: 5}}", "{a: null}", "false"}},
}};
const Register kLte{{
    .name = "$lte",
    .summary = "The value, or an element of it, is of the operand's type class and not greater.",
    .parse = parse_order<kLess | kEqual>,
    .bound = Bound::kLessOrEqual,
    .examples = {{"{a: {$lte: 5}}", "{a: 5}", "true"},
                 {"{a: {$lte: {$maxKey: 1}}}", "{}", "true"},
                 {"{a: {$lte: /x/}}", "{}", "error 2"}},
}};

}  // namespace

bool compares(Value value, std::uint8_t relation, Value operand, const Collator* collation) {
  const TypeClass type_class = bson::type_class(value.type());
  const TypeClass operand_class = bson::type_class(operand.type());
  if (type_class != operand_class) return compares_across(type_class, relation, operand_class);
  if (value.missing()) return (relation & kEqual) != 0;
  if (type_class == TypeClass::kNumber && (is_nan(value) || is_nan(operand)))
    return (relation & kEqual) != 0 && is_nan(value) && is_nan(operand);
  return satisfies(bson::compare(value, operand, collation), relation);
}

std::unique_ptr<const Predicate> make_comparison(std::uint8_t relation, Value operand, const Collator* collation) {
  if (collation != nullptr && is_collated(operand)) return std::make_unique<CollatedComparison>(relation, operand, *collation);
  constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
  if (operand.is_string()) return std::make_unique<StringComparison>(relation, operand);
  if (operand.is(Type::kObjectId)) return std::make_unique<ObjectIdComparison>(relation, operand);
  const auto whole = operand.is(Type::kDecimal128) ? std::nullopt : operand.exact_int64();
  if (whole && *whole >= -kExactInDouble && *whole <= kExactInDouble)
    return std::make_unique<WholeComparison>(relation, operand, *whole);
  return std::make_unique<Comparison>(relation, operand);
}

}  // namespace partita::query
