// SPDX-License-Identifier: GPL-3.0-or-later
#include <bson/bson.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_bson.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

/// libbson ends code, symbols and the names in DBPointers at their first zero.
constexpr test::RandomBsonShape kTextForLibbson{.zeros_in_text = false};

using testing::HasSubstr;

/// What was read, with every type told apart; or "error: " and the message.
std::string read(std::string_view text) {
  const auto document = parse_json(text);
  if (!document.ok()) return "error: " + document.status().message();
  EXPECT_TRUE(validate(document->view().bytes()).ok()) << text;
  return to_json(*document, JsonStyle::kCanonical);
}

/// The value of a field, written and printed without the document around it.
std::string value(const std::string& text) {
  const std::string document = read("{a: " + text + "}");
  return document.starts_with("error") ? document : document.substr(5, document.size() - 6);
}

TEST(JsonParse, TakesWhatPeopleWrite) {
  EXPECT_EQ(read("{}"), "{}");
  EXPECT_EQ(read(" { a : true , 'b': \"x\", \"c\": [ ] , } \n"), R"({"a":true,"b":"x","c":[]})");

  EXPECT_EQ(read("{$set: {a.b-c: null}, 0: 'it\\'s', é: ''}"), R"({"$set":{"a.b-c":null},"0":"it's","é":""})");
  EXPECT_EQ(read("[true, [], {}, 'x',]"), R"({"0":true,"1":[],"2":{},"3":"x"})");
}

TEST(JsonParse, GivesNumbersTheSmallestTypeThatHoldsThem) {
  EXPECT_EQ(value("5"), R"({"$numberInt":"5"})");
  EXPECT_EQ(value("-2147483648"), R"({"$numberInt":"-2147483648"})");
  EXPECT_EQ(value("2147483648"), R"({"$numberLong":"2147483648"})");
  EXPECT_EQ(value("-9223372036854775808"), R"({"$numberLong":"-9223372036854775808"})");
  EXPECT_EQ(value("9223372036854775808"), R"({"$numberDouble":"9223372036854775808.0"})");
  EXPECT_EQ(value("5.0"), R"({"$numberDouble":"5.0"})");
  EXPECT_EQ(value("-1.5e-3"), R"({"$numberDouble":"-0.0015"})");
  EXPECT_EQ(value(".5"), R"({"$numberDouble":"0.5"})");
  EXPECT_EQ(value("-0.0"), R"({"$numberDouble":"-0.0"})");
  EXPECT_EQ(value("NaN"), R"({"$numberDouble":"NaN"})");
  EXPECT_EQ(value("-Infinity"), R"({"$numberDouble":"-Infinity"})");
  for (const char* bad : {"-", ".", "1.2.3", "5e", "1e999", "--1", "5x", "+5"}) {
    EXPECT_THAT(value(bad), HasSubstr("error: ")) << bad;
  }
}

TEST(JsonParse, DecodesEscapes) {
  EXPECT_EQ(value(R"("\"\\\/\b\f\n\r\t\'\u00e9\x41\u540d\ud83d\ude00\u0000")"), R"("\"\\/\b\f\n\r\t'éA名😀\u0000")");
  for (const char* bad : {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")", R"("\ude00")", R"("\u12g4")", R"("\u12)",
                          R"("\q")", R"("abc)", R"("abc\)", R"('abc")"}) {
    EXPECT_THAT(value(bad), HasSubstr("error: ")) << bad;
  }
}

TEST(JsonParse, ReadsTheShellsConstructors) {
  EXPECT_EQ(value(R"(ObjectId("0102030405060708090a0b0c"))"), R"({"$oid":"0102030405060708090a0b0c"})");
  EXPECT_EQ(value("NumberInt(5.0)"), R"({"$numberInt":"5"})");
  EXPECT_EQ(value("NumberLong(5)"), R"({"$numberLong":"5"})");
  EXPECT_EQ(value("Long('-9223372036854775808')"), R"({"$numberLong":"-9223372036854775808"})");
  EXPECT_EQ(value("Double(5)"), R"({"$numberDouble":"5.0"})");
  EXPECT_EQ(value("NumberDecimal('1.10')"), R"({"$numberDecimal":"1.10"})");
  EXPECT_EQ(value("Decimal128(7)"), R"({"$numberDecimal":"7"})");
  EXPECT_EQ(value("new Date(5)"), R"({"$date":{"$numberLong":"5"}})");
  EXPECT_EQ(value("ISODate('1970-01-02')"), R"({"$date":{"$numberLong":"86400000"}})");
  EXPECT_EQ(value("Timestamp(7, 8)"), R"({"$timestamp":{"t":7,"i":8}})");
  EXPECT_EQ(value("Timestamp({t: 4294967295, i: 8})"), R"({"$timestamp":{"t":4294967295,"i":8}})");
  EXPECT_EQ(value("BinData(128, 'YWI=')"), R"({"$binary":{"base64":"YWI=","subType":"80"}})");
  EXPECT_EQ(value("HexData(2, '6162')"), R"({"$binary":{"base64":"YWI=","subType":"02"}})");
  EXPECT_EQ(value("UUID('00010203-0405-0607-0809-0a0b0c0d0e0f')"),
            R"({"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"04"}})");
  EXPECT_EQ(value(R"(/a\/b"/mi)"), R"({"$regularExpression":{"pattern":"a\\/b\"","options":"im"}})");
  EXPECT_EQ(value("RegExp('a')"), R"({"$regularExpression":{"pattern":"a","options":""}})");
  EXPECT_EQ(value(R"({"$regularExpression":{"pattern":"a","options":"xié"}})"),
            R"({"$regularExpression":{"pattern":"a","options":"xié"}})");
  EXPECT_EQ(value("Code('f')"), R"({"$code":"f"})");
  EXPECT_EQ(value("Code('f', {x: Timestamp(1, 2)})"), R"({"$code":"f","$scope":{"x":{"$timestamp":{"t":1,"i":2}}}})");
  EXPECT_EQ(value("DBPointer('b', ObjectId('0102030405060708090a0b0c'))"),
            R"({"$dbPointer":{"$ref":"b","$id":{"$oid":"0102030405060708090a0b0c"}}})");
  EXPECT_EQ(value("[MinKey, MaxKey(), undefined]"), R"([{"$minKey":1},{"$maxKey":1},{"$undefined":true}])");
}

TEST(JsonParse, RefusesBadConstructors) {
  for (const char* bad :
       {"ObjectId('01')", "ObjectId()", "ObjectId('0102030405060708090a0b0g')", "NumberInt(2147483648)", "NumberInt(1.5)",
        "NumberLong('5x')", "NumberLong(1, 2)", "NumberDecimal('x')", "ISODate('1970-13-01')", "ISODate('1970-02-30')",
        "ISODate('1970-01-01T24:00Z')", "ISODate('1970-01-01x')", "Timestamp(-1, 0)", "Timestamp(4294967296, 0)", "Timestamp(1)",
        "BinData(256, '')", "BinData(0, 'YW?=')", "BinData(0, 'Y')", "BinData(0, 'YX==')", "UUID('00')", "UUID(5)",
        "Nothing(5)", "Date(", "Date(5", "Date(5}", "new", "new 5", "/abc", "Code(5)", "Code('x', 5)"}) {
    EXPECT_THAT(value(bad), HasSubstr("error: ")) << bad;
  }
}

TEST(JsonParse, ReadsDates) {
  const auto date = [](const std::string& text) { return value("ISODate('" + text + "')"); };
  const auto millis = [](const std::string& number) { return R"({"$date":{"$numberLong":")" + number + R"("}})"; };
  EXPECT_EQ(date("2012-12-24T12:15:30.501Z"), millis("1356351330501"));
  EXPECT_EQ(date("2012-12-24T12:15:30.5Z"), millis("1356351330500"));
  EXPECT_EQ(date("2012-12-24T12:15:30.501999"), millis("1356351330501"));
  EXPECT_EQ(date("2012-12-24T12:15Z"), millis("1356351300000"));
  EXPECT_EQ(date("2012-12-24T13:15:30+01:00"), millis("1356351330000"));
  EXPECT_EQ(date("2012-12-24 10:45:30-0130"), millis("1356351330000"));
  EXPECT_EQ(date("1969-12-31T23:59:59.999Z"), millis("-1"));
  EXPECT_EQ(date("0001-01-01"), millis("-62135596800000"));
}

TEST(JsonParse, ConvertsExtendedForms) {
  EXPECT_EQ(value(R"({"$date": "1970-01-01T00:00:00.005Z"})"), R"({"$date":{"$numberLong":"5"}})");
  EXPECT_EQ(value(R"({"$date": 5})"), R"({"$date":{"$numberLong":"5"}})");
  EXPECT_EQ(value(R"({"$scope": {}, "$code": "f"})"), R"({"$code":"f","$scope":{}})");
  EXPECT_EQ(value(R"({"$binary": "YWI=", "$type": "00"})"), R"({"$binary":{"base64":"YWI=","subType":"00"}})");
  EXPECT_EQ(value(R"({"$uuid": "000102030405060708090a0b0c0d0e0f"})"),
            R"({"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"04"}})");
  // What a query or an update says stays as it is.
  EXPECT_EQ(value(R"({"$regex": "a", "$options": "i"})"), R"({"$regex":"a","$options":"i"})");
  EXPECT_EQ(value(R"({"x": 1, "$oid": 2})"), R"({"x":{"$numberInt":"1"},"$oid":{"$numberInt":"2"}})");
  EXPECT_EQ(read(R"({"$undefined": true})"), R"({"$undefined":true})");
  for (const char* bad : {R"({"$oid": 5})", R"({"$oid": "0102030405060708090a0b0c", "x": 1})", R"({"$numberLong": 5})",
                          R"({"$numberDouble": "inf"})", R"({"$timestamp": {"t": 1}})", R"({"$code": "f", "x": 1})",
                          R"({"$binary": {"base64": "YWI=", "subType": "xyz"}})", R"({"$minKey": 2})", R"({"$date": {}})"}) {
    EXPECT_THAT(value(bad), HasSubstr("error: Bad value for $")) << bad;
  }
}

TEST(JsonParse, SaysWhereItStopped) {
  EXPECT_EQ(read(""), "error: Expected '{' or '[' at offset 0 of JSON text");
  EXPECT_EQ(read("{a: 1} x"), "error: Expected nothing after the document at offset 7 of JSON text");
  EXPECT_EQ(read("{a 1}"), "error: Expected ':' at offset 3 of JSON text");
  EXPECT_EQ(read("{a: 1, b: }"), "error: Expected a value at offset 10 of JSON text");
  EXPECT_EQ(read("{a: [1 2]}"), "error: Expected ',' or the end of the list at offset 7 of JSON text");
  EXPECT_EQ(read("{'a\\u0000': 1}"), "error: A field name must not contain a zero at offset 10 of JSON text");
  EXPECT_EQ(read("{a: \"\xFF\"}"), "error: JSON text is not UTF-8");
  for (const char* bad : {"{", "{a", "{a:", "{a:1", "{,}", "[,]", "[1,,2]", "{a:1,,}", "5", "{a:1]", "[1}"}) {
    EXPECT_THAT(read(bad), HasSubstr("error: ")) << bad;
  }
}

TEST(JsonParse, BoundsDepth) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_THAT(read(nested(kMaxMessageDepth)), HasSubstr("[[[["));
  EXPECT_THAT(read(nested(kMaxMessageDepth + 1)), HasSubstr("error: Too many nested levels"));
  EXPECT_THAT(read(nested(100'000)), HasSubstr("error: Too many nested levels"));
  std::string calls;
  for (int i = 0; i < 1000; ++i) calls += "Date(";
  EXPECT_THAT(value(calls), HasSubstr("error: Too many nested levels"));
}

/// What is printed canonically is read back to the same bytes.
TEST(JsonParseRandom, ReadsBackWhatWasPrinted) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const Document document = test::RandomBson(seed).document();
    const std::string text = to_json(document, JsonStyle::kCanonical);
    const auto again = parse_json(text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.status().message() << "\n" << text;
    ASSERT_TRUE(again->view() == document.view()) << "seed " << seed << "\n" << text << "\n" << to_json(*again, JsonStyle::kCanonical);
  }
}

/// What libbson prints is read as well, spaces and all.
TEST(JsonParseRandom, ReadsLibbsonsCanonicalForm) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Document document = test::RandomBson(seed, kTextForLibbson).document();
    bson_t borrowed;
    ASSERT_TRUE(bson_init_static(&borrowed, document.view().data(), document.view().size()));
    char* text = bson_as_canonical_extended_json(&borrowed, nullptr);
    const auto again = parse_json(text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.status().message() << "\n" << text;
    ASSERT_EQ(to_json(*again), to_json(document)) << "seed " << seed;
    bson_free(text);
  }
}

TEST(JsonParseRandom, SurvivesDamagedText) {
  std::size_t taken = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    test::RandomBson generator(seed);
    const std::string text = to_json(generator.document(), JsonStyle::kCanonical);
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    test::mutate(bytes, generator.random());
    const auto document = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!document.ok()) continue;
    ++taken;
    ASSERT_TRUE(validate(document->view().bytes()).ok()) << "seed " << seed;
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace partita::bson
