// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "query/expressions/compiled_expression.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_expression.h"
#include "wire/bson/json.h"

// Does mongod compute the same values as we do, and refuse the same expressions with the same codes?
namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using bson::View;
using bson::Writer;

std::string show(Value value) { return value.missing() ? "missing" : bson::to_json(value, bson::JsonStyle::kCanonical); }

/// What came of an expression: a value, or the code of an error.
struct Answer {
  bson::OwnedValue value;
  int code = 0;
  std::string text = {};

  std::string shown() const { return code != 0 ? "error " + std::to_string(code) + " " + text : show(value.get()); }
};

Answer ask_mongod(Value expression, View document) {
  const Document reply = Oracle::get()->run(Document::build([&](Writer& w) {
    w.add("aggregate", 1);
    {
      bson::ArrayWriter stages = w.array("pipeline");
      {
        Writer stage = stages.document();
        bson::ArrayWriter documents = stage.array("$documents");
        documents.document().add("$literal", document);
      }
      Writer stage = stages.document();
      stage.document("$replaceWith").add("r", expression);
    }
    w.document("cursor");
  }).view());
  if (reply["ok"].to_double() != 1) {
    const Value text = reply["errmsg"];  // None where there is no server any more.
    return {{}, static_cast<int>(reply["code"].exact_int64().value_or(-1)), text.is_string() ? std::string(text.as_string()) : ""};
  }
  for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document())
    return {bson::OwnedValue(row.value.as_document()["r"])};
  return {{}, -1};
}

Answer ask_us(Value expression, View document) {
  const auto compiled = query::CompiledExpression::compile(expression);
  if (!compiled.ok()) return {{}, static_cast<int>(compiled.status().code()), compiled.status().message()};
  query::Arena arena;
  const auto value = compiled->evaluate(document, arena);
  if (!value.ok()) return {{}, static_cast<int>(value.status().code()), value.status().message()};
  return {bson::OwnedValue(*value)};
}

/// Libraries of mathematics differ in the last digit.
bool nearly(Value a, Value b) {
  if (!a.is(bson::Type::kDouble) || !b.is(bson::Type::kDouble)) return false;
  return std::fabs(a.as_double() - b.as_double()) <= std::fabs(a.as_double()) * 1e-14;
}

bool same(const Answer& a, const Answer& b) {
  if (a.code != 0 || b.code != 0) return a.code == b.code;
  return show(a.value.get()) == show(b.value.get()) || nearly(a.value.get(), b.value.get());
}

class ExpressionsOracle : public testing::Test {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }

  /// Tells of the first few differences of each operator: the others are mostly the same again.
  void compare(std::string_view op, Value expression, View document) {
    const Answer theirs = ask_mongod(expression, document);
    const Answer ours = ask_us(expression, document);
    ++asked_;
    if (same(theirs, ours) || ++told_[std::string(op)] > kMostTold) return;
    ADD_FAILURE() << show(expression) << " on " << bson::to_json(document, bson::JsonStyle::kCanonical) << "\nmongod: " << theirs.shown()
                  << "\nours:   " << ours.shown();
  }

  static constexpr int kMostTold = 6;
  int asked_ = 0;
  std::map<std::string, int> told_;
};

std::vector<Value> all_values() {
  std::vector<Value> all;
  for (const bson::Field& value : expression_values()["v"].as_document()) all.push_back(value.value);
  all.push_back({});
  return all;
}

Document call_with(std::string_view op, std::size_t arguments) {
  constexpr std::string_view kFields[] = {"$a", "$b", "$c", "$a"};
  return Document::build([&](Writer& w) {
    bson::ArrayWriter list = w.array(op);
    for (std::size_t i = 0; i < arguments; ++i) list.push(kFields[i]);
  });
}

/// {f: Infinity} and the like.
Document holding(Value a, Value b = {}, Value c = {}) {
  return Document::build([&](Writer& w) {
    w.add("a", a);
    w.add("b", b);
    w.add("c", c);
  });
}

/// Every operator over every value, and pairs of values, and with too few and too many arguments. Not $log: of decimals
/// mongod 6.0 divides the logarithm by the base itself. Nor $sum: ours of longs and doubles together is more exact.
TEST_F(ExpressionsOracle, OfPlainOperators) {
  const std::vector<Value> values = all_values();
  Random random(7);
  const char* const only = std::getenv("PARTITA_EXPRESSION");
  for (const auto& [op, entry] : query::Registry<query::Expression>::all()) {
    if (!mongod_knows(op) || op == "$log" || op == "$sum" || entry.arguments != nullptr || (only != nullptr && op != only)) continue;
    for (std::size_t count = 0; count <= 4; ++count) {
      const Document call = call_with(op, count);
      const Value expression = Value::of(call.view());
      if (count < entry.min_args || count > entry.max_args || count == 0) {
        compare(op, expression, holding(values[0], values[1], values[2]));
      } else if (count == 1) {
        for (const Value a : values) compare(op, expression, holding(a));
      } else {
        for (int round = 0; round < (count == 2 ? 300 : 120); ++round)
          compare(op, expression, holding(random.pick(values), random.pick(values), random.pick(values)));
      }
    }
  }
  EXPECT_GT(asked_, only != nullptr ? 0 : 10000);
}

/// Each parameter is every value once, and once left out.
TEST_F(ExpressionsOracle, OfNamedParameters) {
  const std::vector<Value> values = all_values();
  for (const NamedCall& call : named_calls()) {
    const Document good = bson::parse_json(call.parameters).value();
    const auto ask = [&](std::string_view changed, Value by, Value a) {
      const Document expression = Document::build([&](Writer& w) {
        Writer operand = w.document(call.op);
        for (const bson::Field& field : good.view()) operand.add(field.name, field.name == changed ? by : field.value);
        if (changed == "unknown") operand.add(changed, 1);
      });
      compare(call.op, Value::of(expression.view()), holding(a));
    };
    ask("", {}, values[0]);
    ask("unknown", {}, values[0]);
    const Document field = Document::build([](Writer& w) { w.add("f", "$a"); });
    for (const bson::Field& parameter : good.view()) {
      ask(parameter.name, {}, values[0]);
      for (const Value value : values) {
        ask(parameter.name, field["f"], value);
        if (!value.missing() && !value.is_document() && !value.is_array()) ask(parameter.name, value, values[0]);
      }
    }
    for (const Value value : values) {
      if (value.missing()) continue;
      const Document expression = Document::build([&](Writer& w) { w.add(call.op, value); });
      compare(call.op, Value::of(expression.view()), holding(values[0]));
    }
  }
  EXPECT_GT(asked_, 3000);
}

/// An error may come from another part of the expression first. Now and then only one of both meets one: mongod puts the
/// constants of a sum together behind the rest, and does not compute what is there for null before it is needed.
TEST_F(ExpressionsOracle, OfRandomExpressions) {
  constexpr int kRounds = 4000;
  const std::uint64_t seed = first_seed();
  testing::ScopedTrace trace(__FILE__, __LINE__, seed);
  RandomExpression random(seed);
  int values = 0;
  int early = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Document source = random.expression();
    const Document document = random.document();
    const Answer theirs = ask_mongod(source["v"], document);
    const Answer ours = ask_us(source["v"], document);
    values += theirs.code == 0 ? 1 : 0;
    early += (theirs.code == 0) != (ours.code == 0) ? 1 : 0;
    EXPECT_TRUE(same(theirs, ours) || theirs.code != 0 || ours.code != 0)
        << "round " << round << ": " << show(source["v"]) << " on " << bson::to_json(document, bson::JsonStyle::kCanonical)
        << "\nmongod: " << theirs.shown() << "\nours:   " << ours.shown();
  }
  EXPECT_GT(values, kRounds / 10);
  EXPECT_LT(early, kRounds / 50);
}

}  // namespace
}  // namespace partita::test
