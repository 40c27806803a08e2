// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/schema/tests.h"

#include <algorithm>
#include <cmath>

#include "query/interrupt.h"
#include "query/match/comparison.h"
#include "query/match/schema/unordered.h"
#include "wire/bson/decimal.h"

namespace partita::query::schema_tests {
namespace {

using bson::Type;
using bson::Value;
using bson::View;

class HasType : public Predicate {
 public:
  explicit HasType(TypeSet types) : types_(types) {}
  bool matches(Value value, MatchState&) const override { return types_.has(value.type()); }

 private:
  TypeSet types_;
};

class Limit : public Predicate {
 public:
  Limit(Value number, std::uint8_t relation) : number_(number), relation_(relation) {}
  bool matches(Value value, MatchState&) const override { return !value.is_number() || compares(value, relation_, number_); }

 private:
  Value number_;
  std::uint8_t relation_;
};

class MultipleOf : public Predicate {
 public:
  explicit MultipleOf(Value number) : divisor_(decimal_of(number)) {}
  bool matches(Value value, MatchState&) const override {
    return !value.is_number() || bson::decimal_is_zero(bson::decimal_modulo(decimal_of(value), divisor_));
  }

 private:
  bson::Decimal128 divisor_;
};

std::int64_t code_points(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; });
}

class Count : public Predicate {
 public:
  Count(Type of, std::int64_t least, std::int64_t most) : of_(of), least_(least), most_(most) {}
  bool matches(Value value, MatchState&) const override {
    if (!value.is(of_)) return true;
    const std::int64_t count =
        value.is_string() ? code_points(value.as_string()) : static_cast<std::int64_t>(value.as_document().count());
    return count >= least_ && count <= most_;
  }

 private:
  Type of_;
  std::int64_t least_;
  std::int64_t most_;
};

class Pattern : public Predicate {
 public:
  explicit Pattern(Regex regex) : regex_(std::move(regex)) {}
  bool matches(Value value, MatchState& state) const override {
    if (!value.is_string()) return true;
    const Result<bool> found = regex_.matches(value.as_string(), state.regex);
    if (!found.ok()) state.failure = found.status();
    return found.ok() && *found;
  }

 private:
  Regex regex_;
};

class UniqueItems : public Predicate {
 public:
  bool matches(Value value, MatchState& state) const override {
    if (!value.is_array()) return true;
    std::vector<Value> items;
    for (const bson::Field& field : value.as_document()) items.push_back(field.value);
    std::ranges::sort(items, stoppable([](Value a, Value b) { return compare_unordered(a, b) < 0; }));
    if (Status stopped = Interrupt::reason(); !stopped.ok()) state.failure = std::move(stopped);
    auto same = [](Value a, Value b) { return compare_unordered(a, b) == 0; };
    return std::ranges::adjacent_find(items, same) == items.end();
  }
};

class OneOf : public Predicate {
 public:
  explicit OneOf(std::vector<Value> values) : values_(std::move(values)) { std::ranges::sort(values_, less); }
  bool matches(Value value, MatchState&) const override {
    return !value.missing() && std::ranges::binary_search(values_, value, less);
  }

 private:
  static bool less(Value a, Value b) { return compare_unordered(a, b) < 0; }
  std::vector<Value> values_;
};

class Required : public Predicate {
 public:
  Required(std::vector<FieldPath> paths, FieldPath trigger) : paths_(std::move(paths)), trigger_(std::move(trigger)) {}
  bool matches(Value value, MatchState&) const override {
    if (!value.is_document()) return true;
    if (trigger_.size() > 0 && property(value, trigger_).missing()) return true;
    return std::ranges::none_of(paths_, [&](const FieldPath& path) { return property(value, path).missing(); });
  }

 private:
  std::vector<FieldPath> paths_;
  FieldPath trigger_;
};

}  // namespace

Test has_type(TypeSet types) { return std::make_unique<HasType>(types); }
Test at_least(Value number, bool exclusive) {
  return std::make_unique<Limit>(number, static_cast<std::uint8_t>(exclusive ? kGreater : kGreater | kEqual));
}
Test at_most(Value number, bool exclusive) {
  return std::make_unique<Limit>(number, static_cast<std::uint8_t>(exclusive ? kLess : kLess | kEqual));
}
Test multiple_of(Value number) { return std::make_unique<MultipleOf>(number); }
Test count(Type of, std::int64_t least, std::int64_t most) { return std::make_unique<Count>(of, least, most); }
Test unique_items() { return std::make_unique<UniqueItems>(); }
Test one_of(std::vector<Value> values) { return std::make_unique<OneOf>(std::move(values)); }
Test required(std::vector<FieldPath> paths, FieldPath trigger) {
  return std::make_unique<Required>(std::move(paths), std::move(trigger));
}
Result<Test> pattern(std::string_view regex) {
  TRY(Regex compiled, Regex::compile(regex, ""));
  return Test(std::make_unique<Pattern>(std::move(compiled)));
}

bson::Decimal128 decimal_of(Value number) {
  if (number.is(Type::kDecimal128)) return number.as_decimal();
  if (number.is(Type::kDouble)) return bson::decimal_from_double(number.as_double());
  return bson::decimal_from_int64(number.as_int64());
}

Value property(Value document, const FieldPath& path) {
  std::size_t part = 0;
  const Value value = descend(document.as_document(), path, part);
  return part == path.size() ? value : Value();
}

}  // namespace partita::query::schema_tests
