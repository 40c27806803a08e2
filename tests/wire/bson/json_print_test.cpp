// SPDX-License-Identifier: GPL-3.0-or-later
#include <bson/bson.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/json_spaces.h"
#include "tests/support/random_bson.h"
#include "wire/bson/decimal.h"
#include "wire/bson/json.h"

namespace partita::bson {
namespace {

/// libbson ends code, symbols and the names in DBPointers at their first zero.
constexpr test::RandomBsonShape kTextForLibbson{.zeros_in_text = false};

template <class T>
std::string relaxed(const T& value) {
  return to_json(Document::build([&](Writer& w) { w.add("a", value); })["a"]);
}

template <class T>
std::string canonical(const T& value) {
  return to_json(Document::build([&](Writer& w) { w.add("a", value); })["a"], JsonStyle::kCanonical);
}

Decimal128 decimal(std::string_view text) { return decimal_from_string(text).value(); }

TEST(JsonPrint, PrintsNumbersPlainlyOrWithTheirType) {
  EXPECT_EQ(relaxed(5), "5");
  EXPECT_EQ(canonical(5), R"({"$numberInt":"5"})");
  EXPECT_EQ(relaxed(std::int64_t{5}), "5");
  EXPECT_EQ(canonical(std::int64_t{-5}), R"({"$numberLong":"-5"})");
  EXPECT_EQ(relaxed(5.0), "5.0");
  EXPECT_EQ(relaxed(-0.0), "-0.0");
  EXPECT_EQ(relaxed(0.1), "0.1");
  EXPECT_EQ(relaxed(1e300), "1e+300");
  EXPECT_EQ(canonical(1.5), R"({"$numberDouble":"1.5"})");
  EXPECT_EQ(relaxed(NAN), R"({"$numberDouble":"NaN"})");
  EXPECT_EQ(relaxed(-INFINITY), R"({"$numberDouble":"-Infinity"})");
  EXPECT_EQ(relaxed(decimal("1.50")), R"({"$numberDecimal":"1.50"})");
}

TEST(JsonPrint, PrintsDatesAsTextWhereTheFormAllows) {
  EXPECT_EQ(relaxed(Date{0}), R"({"$date":"1970-01-01T00:00:00Z"})");
  EXPECT_EQ(relaxed(Date{1'356'351'330'501}), R"({"$date":"2012-12-24T12:15:30.501Z"})");
  EXPECT_EQ(relaxed(Date{253'402'300'799'999}), R"({"$date":"9999-12-31T23:59:59.999Z"})");
  EXPECT_EQ(relaxed(Date{253'402'300'800'000}), R"({"$date":{"$numberLong":"253402300800000"}})");
  EXPECT_EQ(relaxed(Date{-1}), R"({"$date":{"$numberLong":"-1"}})");
  EXPECT_EQ(canonical(Date{0}), R"({"$date":{"$numberLong":"0"}})");
}

TEST(JsonPrint, PrintsTheOtherTypes) {
  EXPECT_EQ(relaxed(true), "true");
  EXPECT_EQ(relaxed(ObjectId{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255}}), R"({"$oid":"000102030405060708090aff"})");
  EXPECT_EQ(relaxed(Timestamp{4'294'967'295, 7}), R"({"$timestamp":{"t":4294967295,"i":7}})");
  EXPECT_EQ(relaxed(Regex{"a\"/b", "i"}), R"({"$regularExpression":{"pattern":"a\"/b","options":"i"}})");
  EXPECT_EQ(relaxed(Binary{0x80, "abc"}), R"({"$binary":{"base64":"YWJj","subType":"80"}})");
  EXPECT_EQ(relaxed(Binary{2, "abcd"}), R"({"$binary":{"base64":"YWJjZA==","subType":"02"}})");
  EXPECT_EQ(relaxed(Binary{4, "0123456789abcdef"}), R"({"$uuid":"30313233-3435-3637-3839-616263646566"})");
  EXPECT_EQ(canonical(Binary{4, "0123456789abcdef"}),
            R"({"$binary":{"base64":"MDEyMzQ1Njc4OWFiY2RlZg==","subType":"04"}})");
  EXPECT_EQ(to_json(Value::undefined()), R"({"$undefined":true})");
  EXPECT_EQ(to_json(Value::min_key()), R"({"$minKey":1})");
  EXPECT_EQ(to_json(Value::max_key()), R"({"$maxKey":1})");
  EXPECT_EQ(to_json(Value::null()), "null");
}

TEST(JsonPrint, PrintsNestedDocumentsAndArrays) {
  const Document document = Document::build([](Writer& w) {
    w.document("empty");
    w.array("none");
    ArrayWriter list = w.array("list");
    list.push(1);
    list.document().add("x", "y");
    list.push_null();
  });
  EXPECT_EQ(to_json(document), R"({"empty":{},"none":[],"list":[1,{"x":"y"},null]})");
}

TEST(JsonPrint, EscapesEverythingThatCouldBreakALine) {
  EXPECT_EQ(relaxed(std::string("a\"\\/\b\f\n\r\t\x01\x1F\x7F\0é", 15)), R"("a\"\\/\b\f\n\r\t\u0001\u001f\u007f\u0000é")");
  std::string out;
  append_json_string(out, "x\xFFy\xC3\xA9");
  EXPECT_EQ(out, "\"x\uFFFDy\uFFFD\uFFFD\"");
}

/// libbson prints doubles with twenty digits: of those we compare the value.
std::string without_doubles(std::string json) {
  constexpr std::string_view kBefore = R"({"$numberDouble":")";
  for (std::size_t at = json.find(kBefore); at != std::string::npos; at = json.find(kBefore, at)) {
    at += kBefore.size();
    const std::size_t end = json.find('"', at);
    const double value = std::strtod(json.substr(at, end - at).c_str(), nullptr);
    char bits[32];
    std::snprintf(bits, sizeof bits, "%a", value);
    json.replace(at, end - at, bits);
  }
  return json;
}

TEST(JsonPrint, AgreesWithLibbson) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const Document document = test::RandomBson(seed, kTextForLibbson).document();
    bson_t borrowed;
    ASSERT_TRUE(bson_init_static(&borrowed, document.view().data(), document.view().size()));
    char* text = bson_as_canonical_extended_json(&borrowed, nullptr);
    ASSERT_NE(text, nullptr) << "seed " << seed;
    const std::string theirs = text;
    bson_free(text);
    ASSERT_EQ(without_doubles(to_json(document, JsonStyle::kCanonical)), without_doubles(test::json_without_spaces(theirs)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::bson
