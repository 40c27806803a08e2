// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plain_validator.h"
#include "tests/support/random_bson.h"

namespace partita::bson {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

std::string little_endian(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

/// A document around elements written out byte by byte.
std::string doc(const std::string& elements) {
  return little_endian(static_cast<std::uint32_t>(elements.size() + 5)) + elements + '\0';
}

Status check(const std::string& bytes, int max_depth = kMaxMessageDepth) {
  return validate({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, max_depth).status();
}

std::string nested(int levels) {
  std::string document = doc("");
  for (int level = 1; level < levels; ++level) document = doc("\x03""a\0"s + document);
  return document;
}

std::string code_with_scope(std::int32_t excess) {
  const std::string body = little_endian(2) + "x\0"s + doc("");
  return "\x0F""a\0"s + little_endian(static_cast<std::uint32_t>(4 + static_cast<std::int32_t>(body.size()) + excess)) + body;
}

TEST(Validate, TakesEveryTypeInItsSmallestForm) {
  for (const std::string& element :
       {"\x01""a\0"s + std::string(8, '\0'), "\x02""a\0\1\0\0\0\0"s, "\x03""a\0\5\0\0\0\0"s, "\x04""a\0\5\0\0\0\0"s,
        "\x05""a\0\0\0\0\0\0"s, "\x06""a\0"s, "\x07""a\0"s + std::string(12, 'x'), "\x08""a\0\1"s,
        "\x09""a\0"s + std::string(8, '\xFF'), "\x0A\0"s, "\x0B""a\0\0\0"s, "\x0C""a\0\1\0\0\0\0"s + std::string(12, 'x'),
        "\x0D""a\0\1\0\0\0\0"s, "\x0E""a\0\1\0\0\0\0"s, code_with_scope(0), "\x10""a\0\1\2\3\4"s,
        "\x11""a\0"s + std::string(8, '\0'), "\x12""a\0"s + std::string(8, '\0'), "\x13""a\0"s + std::string(16, '\xFF'),
        "\xFF""a\0"s, "\x7F""a\0"s}) {
    const Status status = check(doc(element));
    EXPECT_TRUE(status.ok()) << status.message();
    // One byte less anywhere behind the name is too few, for every type that has a payload.
    if (element.size() > 3) {
      EXPECT_FALSE(check(doc(element.substr(0, element.size() - 1))).ok());
    }
  }
}

TEST(Validate, LooksAtTheFirstDocumentOnly) {
  EXPECT_TRUE(check(doc("\x0A""a\0"s) + "whatever follows").ok());
}

struct Bad {
  std::string bytes;
  std::string message;
};

class Refused : public testing::TestWithParam<Bad> {};

TEST_P(Refused, NamesWhatIsWrong) {
  const Status status = check(GetParam().bytes);
  EXPECT_EQ(status.code(), Code::InvalidBSON);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Outermost, Refused,
    testing::Values(Bad{"", "BSON data has to be at least 5 bytes in element with field name '?' at offset 0"},
                    Bad{"\5\0\0\0"s, "BSON data has to be at least 5 bytes"},
                    Bad{"\4\0\0\0\0"s, "BSON data has to be at least 5 bytes"},
                    Bad{"\5\0\0\0\1"s, "BSON object not terminated with EOO"},
                    Bad{"\6\0\0\0\0"s, "Incorrect BSON length"},
                    Bad{"\xFF\xFF\xFF\xFF\0"s, "Incorrect BSON length"},
                    Bad{"\7\0\0\0\0\0\0"s, "incorrect BSON length"}));

INSTANTIATE_TEST_SUITE_P(
    Elements, Refused,
    testing::Values(
        Bad{doc("\x20""a\0"s), "Unrecognized BSON type in element with field name 'a' at offset 7"},
        Bad{doc("\x0A""aaa"s), "BSON size is larger than buffer size in element with field name 'aaa'"},
        Bad{doc("\x0A\xFF\0"s), "Invalid UTF-8 in field name in element with field name '?'"},
        Bad{doc("\x08""a\0\2"s), "BSON bool is neither false nor true in element with field name 'a'"},
        Bad{doc("\x02""a\0\0\0\0\0\0"s), "Not null terminated string"},
        Bad{doc("\x02""a\0\2\0\0\0ab"s), "Not null terminated string"},
        Bad{doc("\x02""a\0\xFF\xFF\xFF\xFF"s), "BSON size is larger than buffer size"},
        Bad{doc("\x02""a\0\3\0\0\0a\0"s), "BSON size is larger than buffer size"},
        Bad{doc("\x02""a\0\2\0\0\0\xFF\0"s), "Invalid UTF-8 string in BSON"},
        Bad{doc("\x05""a\0\1\0\0\0\0"s), "BSON size is larger than buffer size"},
        Bad{doc("\x05""a\0\2\0\0\0\2ab"s), "Length inside binary data of subtype 2"},
        Bad{doc("\x05""a\0\5\0\0\0\2\2\0\0\0x"s), "Length inside binary data of subtype 2"},
        Bad{doc("\x0B""a\0a\0"s), "BSON size is larger than buffer size"},
        Bad{doc("\x0B""a\0\xC3\0\0"s), "Invalid UTF-8 string in BSON"},
        Bad{doc("\x0C""a\0\0\0\0\0"s + std::string(12, 'x')), "Not null terminated string"},
        Bad{doc(code_with_scope(1)), "incorrect BSON length"}, Bad{doc(code_with_scope(-1)), "incorrect BSON length"}));

INSTANTIATE_TEST_SUITE_P(
    Nested, Refused,
    testing::Values(
        Bad{doc("\x03""a\0\4\0\0\0\0"s), "Nested BSON object has to be at least 5 bytes in element with field name 'a'"},
        Bad{doc("\x03""a\0\6\0\0\0\0"s), "incorrect BSON length in element with field name 'a'"},
        Bad{doc("\x03""a\0\6\0\0\0\0\0"s), "incorrect BSON length in element with field name 'a'"},
        Bad{doc("\x03""a\0\5\0\0\0\1"s), "BSON object not terminated with EOO"},
        Bad{doc("\x03""a\0"s + doc("\x04""b\0"s + doc("\x0A""c\0\x08""d\0\7"s))), "field name 'a.b.d' at offset 24"},
        Bad{doc("\x03""a\0"s + doc("\x0A""b\0"s) + "\0"s), "incorrect BSON length in element with field name 'a'"}));

TEST(Validate, CountsTheOutermostLevelToo) {
  EXPECT_TRUE(check(nested(kMaxMessageDepth)).ok());
  EXPECT_EQ(check(nested(kMaxMessageDepth + 1)).code(), Code::Overflow);
  EXPECT_EQ(check(nested(5000)).code(), Code::Overflow);
  EXPECT_TRUE(check(nested(3), 3).ok());
  EXPECT_EQ(check(nested(4), 3).code(), Code::Overflow);
  EXPECT_THAT(check(nested(4), 3).message(),
              HasSubstr("BSONObj exceeds maximum nested object depth in element with field name 'a.a.a'"));
}

TEST(Validate, CountsAScopeAsALevel) {
  EXPECT_TRUE(check(doc(code_with_scope(0)), 2).ok());
  EXPECT_EQ(check(doc(code_with_scope(0)), 1).code(), Code::Overflow);
}

TEST(Validate, KeepsHostileNamesOutOfItsMessage) {
  const std::string name(1'000'000, 'n');
  const Status status = check(doc("\x03" + name + "\0"s + doc("\x08\xFF\0\2"s)));
  EXPECT_LT(status.message().size(), 1000);
  EXPECT_TRUE(valid_utf8(status.message()));
}

TEST(Validate, FindsBadBytesAtEveryPlaceOfANameAndAString) {
  for (std::size_t length = 1; length < 70; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      EXPECT_TRUE(check(doc("\x0A" + text + "\0"s)).ok());
      text[at] = '\xFF';
      EXPECT_FALSE(check(doc("\x0A" + text + "\0"s)).ok());
      EXPECT_FALSE(check(doc("\x02""a\0"s + little_endian(static_cast<std::uint32_t>(length + 1)) + text + "\0"s)).ok());
    }
  }
}

TEST(Depth, CountsLevelsThroughArraysAndScopes) {
  const auto depth_of = [](const std::string& bytes) {
    return depth(View::trusted(reinterpret_cast<const std::uint8_t*>(bytes.data())));
  };
  EXPECT_EQ(depth_of(doc("")), 1);
  EXPECT_EQ(depth_of(nested(7)), 7);
  EXPECT_EQ(depth_of(doc(code_with_scope(0) + "\x0A""a\0"s)), 2);
  EXPECT_EQ(depth_of(doc("\x03""a\0"s + nested(3) + "\x04""b\0"s + nested(2) + "\x10""c\0\0\0\0\0"s)), 4);
  const auto field_depth_of = [](const std::string& bytes) {
    return field_depth(View::trusted(reinterpret_cast<const std::uint8_t*>(bytes.data())));
  };
  EXPECT_EQ(field_depth_of(doc("")), 0);
  EXPECT_EQ(field_depth_of(nested(7)), 6);
  EXPECT_EQ(field_depth_of(doc("\x03""a\0"s + nested(3) + "\x04""b\0"s + nested(2) + "\x10""c\0\0\0\0\0"s)), 3);
}

TEST(Utf8, FollowsTheUnicodeTable) {
  for (const std::string_view good : {"", "abc", "é", "名前", "\U0001F600", "\U0010FFFF", "\u0080", "\u07FF", "\u0800",
                                      "\uD7FF", "\uE000", "\U00010000", "aé\u0080z"}) {
    EXPECT_TRUE(valid_utf8(good)) << good;
  }
  EXPECT_TRUE(valid_utf8("a\0b"s));
  for (const std::string_view bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82",
                                     "\xE2(\xA1", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98",
                                     "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "abcdefgh\xC3"}) {
    EXPECT_FALSE(valid_utf8(bad)) << bad;
  }
}

TEST(Utf8, AgreesWithDecodingOnEveryThreeBytesAndRandomOnes) {
  Bytes text(3);
  const auto agree = [&] {
    const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
    return valid_utf8(view) == test::plainly_utf8(text);
  };
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      for (const int c : {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0xA0, 0xBF, 0xC0, 0xFF}) {
        text = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
        ASSERT_TRUE(agree()) << a << ' ' << b << ' ' << c;
      }
    }
  }
  test::Random random(1);
  for (int round = 0; round < 200'000; ++round) {
    text.assign(random.below(50), 'a');
    for (auto changes = random.below(5); changes > 0 && !text.empty(); --changes)
      text[random.below(text.size())] = static_cast<std::uint8_t>(random.between(0x7E, 0xFF));
    ASSERT_TRUE(agree());
  }
}

}  // namespace
}  // namespace partita::bson
