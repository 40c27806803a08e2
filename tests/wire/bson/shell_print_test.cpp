// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "wire/bson/json.h"

namespace partita::bson {
namespace {

std::string shell_of(std::string_view json) { return to_shell(parse_json(json).value()); }
std::string shell_of(Value value) { return to_shell(value); }

// What mongod 6.0.5 says after "dup key: " for each of these values.

TEST(ShellPrint, QuotesNumbersAsMongodDoes) {
  EXPECT_EQ(shell_of("{a: 1.0}"), "{ a: 1.0 }");
  EXPECT_EQ(shell_of("{a: 5, b: NumberLong(5000000000)}"), "{ a: 5, b: 5000000000 }");
  EXPECT_EQ(shell_of(Value::of(-0.0)), "-0.0");
  EXPECT_EQ(shell_of(Value::of(0.1)), "0.1");
  EXPECT_EQ(shell_of(Value::of(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(shell_of(Value::of(1e15)), "1000000000000000.0");
  EXPECT_EQ(shell_of(Value::of(1e16)), "1e+16.0");
  EXPECT_EQ(shell_of(Value::of(123456789012345680.0)), "1.234567890123457e+17");
  EXPECT_EQ(shell_of(Value::of(1e-7)), "1e-07.0");
  EXPECT_EQ(shell_of(Value::of(NAN)), "nan.0");
  EXPECT_EQ(shell_of(Value::of(-INFINITY)), "-inf.0");
  EXPECT_EQ(shell_of(R"({a: NumberDecimal("1.50"), b: NumberDecimal("1E+3"), c: NumberDecimal("NaN")})"),
            "{ a: 1.50, b: 1E+3, c: NaN }");
}

TEST(ShellPrint, QuotesDocumentsAndArraysAsMongodDoes) {
  EXPECT_EQ(shell_of("{}"), "{}");
  EXPECT_EQ(shell_of(R"({a: {a: 1, "a b": 1, "": 1, 'x"y': 1}})"), R"({ a: { a: 1, a b: 1, : 1, x"y: 1 } })");
  EXPECT_EQ(shell_of("{a: {a: [1, 2], b: [], c: [{}]}}"), "{ a: { a: [ 1, 2 ], b: [], c: [ {} ] } }");
}

TEST(ShellPrint, QuotesTheOtherTypesAsMongodDoes) {
  EXPECT_EQ(shell_of(R"({a: "x\"y\\z\né", b: Symbol("sym")})"), "{ a: \"x\"y\\z\né\", b: \"sym\" }");
  EXPECT_EQ(shell_of(R"({a: BinData(0, "YWJj"), b: BinData(0, ""), c: HexData(3, "0aff")})"),
            "{ a: BinData(0, 616263), b: BinData(0, ), c: BinData(3, 0AFF) }");
  EXPECT_EQ(shell_of(R"({a: UUID("00010203-0405-0607-0809-0a0b0c0d0e0f"), b: HexData(4, "00")})"),
            R"({ a: UUID("00010203-0405-0607-0809-0a0b0c0d0e0f"), b: BinData(4, 00) })");
  EXPECT_EQ(shell_of(R"({a: ObjectId("303132333435363738396162")})"), "{ a: ObjectId('303132333435363738396162') }");
  EXPECT_EQ(shell_of("{a: true, b: false, c: null, d: undefined, e: MinKey, f: MaxKey}"),
            "{ a: true, b: false, c: null, d: undefined, e: MinKey, f: MaxKey }");
  EXPECT_EQ(shell_of("{a: Date(-1), b: Timestamp(1700000000, 7)}"), "{ a: new Date(-1), b: Timestamp(1700000000, 7) }");
  EXPECT_EQ(shell_of(R"({a: RegExp("a/b", "im")})"), "{ a: /a/b/im }");
  EXPECT_EQ(shell_of(R"({a: DBPointer("db.c", "797979797979797979797979")})"), "{ a: DBRef('db.c',797979797979797979797979) }");
  EXPECT_EQ(shell_of(R"({a: Code("f(\"x\"){"), b: Code("x", {a: 1}), c: Code("x", {})})"),
            "{ a: f(\"x\"){, b: CodeWScope( x, { a: 1 }), c: CodeWScope( x, {}) }");
}

TEST(ShellPrint, CutsLongTextsWhereMongodDoes) {
  const auto text_of = [](std::size_t size) { return "\"" + std::string(size, 'x') + "\""; };
  EXPECT_EQ(shell_of("{a: " + text_of(159) + "}"), "{ a: " + text_of(159) + " }");
  EXPECT_EQ(shell_of("{a: " + text_of(160) + "}"), "{ a: \"" + std::string(150, 'x') + "...\" }");
  EXPECT_EQ(shell_of("{a: Code(" + text_of(79) + ")}"), "{ a: " + std::string(79, 'x') + " }");
  EXPECT_EQ(shell_of("{a: Code(" + text_of(80) + ")}"), "{ a: " + std::string(70, 'x') + "... }");
  const std::string hex(162, 'A');  // 81 bytes.
  EXPECT_EQ(shell_of("{a: HexData(0, \"" + hex.substr(2) + "\")}"), "{ a: BinData(0, " + hex.substr(2) + ") }");
  EXPECT_EQ(shell_of("{a: HexData(0, \"" + hex + "\")}"), "{ a: BinData(0, " + hex.substr(0, 140) + "...) }");
}

TEST(ShellPrint, NeverCutsACharacterInTwo) {
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "名";
  EXPECT_EQ(shell_of("{a: \"x" + accents + "\"}"), "{ a: \"x" + accents.substr(0, 147) + "...\" }");
}

TEST(ShellPrint, CutsDeepDocumentsWhereMongodDoes) {
  const auto nested = [](int levels, const std::string& inside) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += "{ a: ";
    text += inside;
    for (int i = 0; i < levels; ++i) text += " }";
    return text;
  };
  EXPECT_EQ(shell_of(nested(100, "{ z: 1 }")), nested(100, "{ z: 1 }"));
  EXPECT_EQ(shell_of(nested(101, "{ z: 1 }")), nested(101, "{ ... }"));
  EXPECT_EQ(shell_of(nested(101, "[ 1 ]")), nested(101, "[ ... ]"));
  EXPECT_EQ(shell_of(nested(101, "{}")), nested(101, "{}"));
}

TEST(ShellPrint, PrintsAFieldWithItsName) {
  const Document document = parse_json("{a: [1]}").value();
  EXPECT_EQ(to_shell(*document.view().begin()), "a: [ 1 ]");
}

}  // namespace
}  // namespace partita::bson
